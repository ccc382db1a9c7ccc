import { afterEach, beforeEach, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { BlockListeners } from '../../../../host/consensus/head-feed.ts'
import type { LogFields, Logger } from '../../../../host/log/logger.ts'
import { ConsoleOutput } from '../../../../host/node/serve/console-output.ts'
import type { ExecutedBlock } from '../../../../host/store/codec/block-record.ts'
import type { TraceOutput, TraceRequest } from '../../../../host/trace-pool/trace-runner.ts'
import { FakeNode, transaction } from '../../../support/chain/fake-chain.ts'

/** Traces that last until the test says what they found. */
class HeldTraces {
  readonly requests: TraceRequest[] = []
  #resolve: (output: TraceOutput) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  start(request: TraceRequest): Promise<TraceOutput> {
    this.requests.push(request)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
    })
  }

  /** Each transaction of the block that is traced has logged a text. */
  answer(text: string): void {
    const traced = tracedHashes()
      .at(-1)
      ?.map((txHash) => ({ txHash, result: [{ contract: '0xc0', text }] }))
    this.#resolve(Buffer.from(JSON.stringify(traced)))
  }

  fail(error: Error): void {
    this.#reject(error)
  }

  async close(): Promise<void> {}
}

let node: FakeNode
let traces: HeldTraces
let heads: BlockListeners
let output: ConsoleOutput
const lines: [level: string, message: string, fields: LogFields | undefined][] = []

beforeEach(() => {
  lines.length = 0
  node = new FakeNode()
  traces = new HeldTraces()
  heads = new BlockListeners((error) => {
    throw error
  })
  const note = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push([level, message, fields])
  const { history, rules, keccak256, limits } = node.context
  output = new ConsoleOutput(
    {
      heads,
      history,
      rules,
      keccak256,
      traces,
      limits: limits.trace,
      traceTimeoutMs: limits.traceTimeoutMs,
      isLogging: () => true,
      mayHaveLogged: () => true,
    },
    { info: note('info'), debug: note('debug') } as Partial<Logger> as Logger,
  )
})

afterEach(async () => {
  await output.close()
  node.close()
})

/** Adds a block of one transaction. @returns its hash */
function add(nonce: bigint): string {
  const one = transaction({ nonce })
  node.addBlock([{ transaction: one }])
  heads.announce(node.chain.blocks.at(-1) as ExecutedBlock)
  return formatData(one.hash)
}

function removeAbove(kept: number): void {
  const tellGone = heads.announceRemoval(kept)
  node.chain.blocks.length = kept + 1
  tellGone()
}

const turn = () => new Promise(setImmediate)

const tracedHashes = () =>
  traces.requests.map(({ job }) =>
    job.plan?.transactions.map(({ transaction: { hash } }) => formatData(hash)),
  )

const line = (text: string, hash: string) => [
  'info',
  `console.log: ${text}`,
  { transaction: hash, contract: '0xc0' },
]

test('blocks are traced one after another, and what they log has lines', async () => {
  const [first, second] = [add(0n), add(1n)]
  await turn()
  expect(tracedHashes()).toEqual([[first]])
  traces.answer('one')
  await turn()
  expect(tracedHashes()).toEqual([[first], [second]])
  traces.answer('two')
  await turn()
  expect(lines).toEqual([line('one', first), line('two', second)])
})

test('a block that is taken back while its trace waits is not traced, and the one made in its place once', async () => {
  const kept = add(0n)
  add(1n)
  await turn()
  removeAbove(1)
  const again = add(2n)
  traces.answer('kept')
  await turn()
  expect(tracedHashes()).toEqual([[kept], [again]])
  traces.answer('again')
  await turn()
  expect(lines).toEqual([line('kept', kept), line('again', again)])
  expect(traces.requests).toHaveLength(2)
})

test('the trace of a block that is taken back stops before the block is gone, without a line', async () => {
  add(0n)
  await turn()
  const [request] = traces.requests
  const tellGone = heads.announceRemoval(0)
  expect(request?.signal.aborted).toBe(true)
  node.chain.blocks.length = 1
  tellGone()
  await turn()
  expect(lines).toEqual([])
  const again = add(1n)
  await turn()
  traces.answer('again')
  await turn()
  expect(lines).toEqual([line('again', again)])
})

test('a trace that fails is told to who looks for it, and the next block is traced', async () => {
  add(0n)
  const next = add(1n)
  await turn()
  traces.fail(new LockstepError('SERVER_BUSY', 'too many traces are in progress'))
  await turn()
  traces.answer('next')
  await turn()
  expect(lines).toEqual([
    ['debug', 'console.log was not read', { height: 1, reason: 'too many traces are in progress' }],
    line('next', next),
  ])
})
