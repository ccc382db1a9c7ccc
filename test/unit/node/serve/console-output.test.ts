import { encodeFunctionData, parseAbi } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TraceOutput, TraceRequest } from '../../../../host/api/trace-pool/trace-runner.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import { formatData, parseData } from '../../../../host/base/hex.ts'
import type { LogFields, Logger } from '../../../../host/base/log/logger.ts'
import { BlockListeners } from '../../../../host/chain/consensus/head-feed.ts'
import type { Executed } from '../../../../host/evm/engine/outcome.ts'
import type { GasEstimate } from '../../../../host/evm/execute/simulate/gas-search.ts'
import type { CallSimulation } from '../../../../host/evm/execute/simulate/simulator.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { ConsoleOutput } from '../../../../host/node/serve/console-output.ts'
import type { ExecutedBlock } from '../../../../host/storage/store/codec/block-record.ts'
import { FakeNode, transaction as minedTransaction } from '../../../support/chain/fake-chain.ts'
import { LOGGER, LOGGER_THAT_REVERTS } from '../../../support/contracts/console-logger.ts'
import {
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const engine = await engineInBlock(BLOCK)

/** Traces that remain pending until the test answers. */
class PendingTraces {
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

  /** Answers as if each transaction of the traced block had logged this text. */
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
let traces: PendingTraces
let heads: BlockListeners
let output: ConsoleOutput
let isLogging: boolean
const lines: [level: string, message: string, fields: LogFields | undefined][] = []

beforeEach(() => {
  lines.length = 0
  isLogging = true
  node = new FakeNode()
  traces = new PendingTraces()
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
      isLogging: () => isLogging,
      mayHaveLogged: () => true,
    },
    { info: note('info'), debug: note('debug') } as Partial<Logger> as Logger,
  )
})

afterEach(async () => {
  await output.close()
  node.close()
})

/** Adds a block of one transaction. Returns its hash. */
function add(nonce: bigint): string {
  const one = minedTransaction({ nonce })
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

test('blocks are traced one after another, and their console output is logged', async () => {
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

test('a reverted block whose trace is pending is not traced, and its replacement is traced once', async () => {
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

test('the trace of a reverted block stops before the block is deleted, and logs nothing', async () => {
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

test('a trace that fails is reported, and the next block is traced', async () => {
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

describe('console output of calls', () => {
  const data = parseData(
    encodeFunctionData({ abi: parseAbi(['function log(string)']), args: ['from a call'] }),
  )
  const asked = { height: 0 } as Partial<CallSimulation> as CallSimulation
  const logged = (call: string) => [
    ['info', 'console.log: from a call', { call, contract: formatData(CONTRACT) }],
  ]

  /** Returns simulators that call this code, and the calls to them. */
  function runsOf(code: Uint8Array) {
    const runs: CallSimulation[] = []
    const call = (simulation: CallSimulation): Executed => {
      runs.push(simulation)
      const { over, trace } = simulation
      const view = stateWith(code)
      engine.beginBlock(BLOCK)
      const run = engine.transact(transaction({ data }), trace === undefined ? {} : { trace })
      return executed(answerFrom(run, over?.(view) ?? view))
    }
    const estimateGas = (simulation: CallSimulation): GasEstimate => {
      const outcome = call(simulation)
      return outcome.success ? { kind: 'enough', gas: 1n } : { kind: 'failed', outcome }
    }
    const createAccessList = () => Promise.reject(new Error('not asked'))
    return { runs, watched: output.watch({ call, estimateGas, createAccessList }) }
  }

  test('that log nothing: the call runs once without a trace and returns at once', () => {
    const { runs, watched } = runsOf(Uint8Array.of(0))
    expect(watched.call(asked)).toMatchObject({ success: true })
    expect(watched.estimateGas(asked)).toEqual({ kind: 'enough', gas: 1n })
    expect(runs.map(({ trace }) => trace)).toEqual([undefined, undefined])
    expect(lines).toEqual([])
  })

  test('is logged once, and for estimates only if they fail', async () => {
    expect(await runsOf(LOGGER).watched.call(asked)).toMatchObject({ success: true })
    expect(lines).toEqual(logged('eth_call'))
    expect(await runsOf(LOGGER).watched.estimateGas(asked)).toEqual({ kind: 'enough', gas: 1n })
    expect(lines).toEqual(logged('eth_call'))
    expect(await runsOf(LOGGER_THAT_REVERTS).watched.estimateGas(asked)).toMatchObject({
      kind: 'failed',
    })
    expect(lines.slice(1)).toEqual(logged('eth_estimateGas'))
  })

  test('does not change the error of a failed call', async () => {
    const { watched } = runsOf(Uint8Array.of(0))
    const fail = () => {
      throw new LockstepError('SERVER_BUSY', 'no engine')
    }
    expect(() => output.watch({ ...watched, call: fail }).call(asked)).toThrow('no engine')
    const later = output.watch({ ...watched, call: async () => fail() })
    await expect(later.call(asked)).rejects.toThrow('no engine')
  })

  test('is ignored if logging is disabled', async () => {
    isLogging = false
    const { runs, watched } = runsOf(LOGGER)
    watched.call(asked)
    watched.estimateGas(asked)
    expect(runs).toEqual([asked, asked])
    expect(lines).toEqual([])
  })
})
