import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RpcLimits } from '../../../../../host/api/rpc/call/limits.ts'
import { TraceCache } from '../../../../../host/api/trace-pool/trace-cache.ts'
import type {
  TraceOutput,
  TraceRequest,
  TraceRunner,
} from '../../../../../host/api/trace-pool/trace-runner.ts'
import { formatData, type Hex } from '../../../../../host/base/hex.ts'
import { FakeNode, RECIPIENT, transaction } from '../../../../support/chain/fake-chain.ts'
import { makeSigner, signTransaction } from '../../../../support/peer/signer.ts'

const UNKNOWN = `0x${'00'.repeat(32)}`
const to = formatData(RECIPIENT)
const one = transaction({ nonce: 1n })
const two = transaction({ nonce: 2n, value: 5n })

/** Answers each job with its number. */
class CountingRunner implements TraceRunner {
  readonly requests: TraceRequest[] = []

  async start(request: TraceRequest): Promise<TraceOutput> {
    return Buffer.from(String(this.requests.push(request)))
  }

  async close() {}
}

let node: FakeNode
let runner: CountingRunner

function start(limits: Partial<RpcLimits> = {}) {
  runner = new CountingRunner()
  node = new FakeNode(limits, { traces: runner, traceCache: new TraceCache(1 << 20) })
  node.addBlock([{ transaction: one }, { transaction: two }])
}

beforeEach(() => start())
afterEach(() => node.close())

const jobs = () => runner.requests.map(({ job }) => job)
const ask = (method: string, ...params: unknown[]) => node.call(method, params)
const bad = (message: string) => ({ error: { code: -32602, message } })
const failed = (message: string) => ({ error: { code: -32000, message } })

describe('a trace_ method for mined blocks', () => {
  test('executes up to the transaction, with its own tracer', async () => {
    const hash = formatData(two.hash)
    await ask('trace_transaction', hash)
    await ask('trace_get', hash, ['0x1', '0x0'])
    await ask('trace_replayTransaction', hash, ['vmTrace', 'trace', 'trace'])
    expect(jobs().map(({ tracer, config, target }) => [tracer, config, target.kind])).toEqual([
      ['parityListTracer', {}, 'transaction'],
      ['parityListTracer', { traceAddress: [1, 0] }, 'transaction'],
      ['parityTracer', { traceTypes: ['trace', 'vmTrace'] }, 'transaction'],
    ])
    expect(jobs().map(({ plan }) => plan?.transactions.length)).toEqual([2, 2, 2])
  })

  test('returns a block as one list of traces or of replays', async () => {
    await ask('trace_block', 'latest')
    await ask('trace_replayBlockTransactions', '0x1', ['stateDiff'])
    expect(jobs().map(({ tracer, config, target }) => [tracer, config, target])).toEqual([
      ['parityListTracer', {}, { kind: 'list', list: { tail: [] } }],
      ['parityTracer', { traceTypes: ['stateDiff'], hasHash: true }, { kind: 'replays' }],
    ])
  })

  test('caches its result, whatever the order of the trace types', async () => {
    const hash = formatData(one.hash)
    for (const types of [['trace', 'stateDiff'], ['stateDiff', 'trace'], ['trace']]) {
      await ask('trace_replayTransaction', hash, types)
    }
    await ask('trace_block', '0x1')
    expect(await ask('trace_block', { blockNumber: '0x1' })).toBe(3)
    expect(runner.requests).toHaveLength(3)
  })

  test('returns null or an error for a missing block, and nothing for genesis', async () => {
    for (const method of ['trace_block', 'trace_transaction']) {
      expect(await ask(method, UNKNOWN)).toBeNull()
    }
    expect(await ask('trace_block', '0x9')).toBeNull()
    expect(await ask('trace_get', UNKNOWN, [])).toBeNull()
    expect(await ask('trace_replayTransaction', UNKNOWN, [])).toEqual(
      failed('transaction not found'),
    )
    expect(await ask('trace_replayBlockTransactions', '0x9', [])).toEqual(
      failed('block #9 not found'),
    )
    expect(await ask('trace_block', '0x0')).toEqual([])
    expect(await ask('trace_replayBlockTransactions', 'earliest', ['trace'])).toEqual([])
    expect(runner.requests).toEqual([])
  })

  test('is refused for blocks older than the trace limit', async () => {
    node.close()
    start({ traceLookbackBlocks: 0 })
    node.addBlock([])
    const text = 'block number 1 is beyond max lookback of 0'
    for (const answer of [
      await ask('trace_block', '0x1'),
      await ask('trace_transaction', formatData(one.hash)),
      await ask('trace_call', { to }, ['trace'], '0x1'),
      await ask('trace_filter', { toBlock: '0x1' }),
    ]) {
      expect(answer).toMatchObject(failed(text))
    }
  })
})

describe('a trace_ method for calls', () => {
  test('runs one or several calls on the state after a block', async () => {
    await ask('trace_call', { to, value: '0x1' }, ['trace'])
    await ask('trace_callMany', [
      [{ to, data: '0x01' }, ['trace']],
      [{ to, data: '0x02' }, ['vmTrace', 'stateDiff']],
    ])
    const [single, many] = jobs()
    expect([single?.plan, single?.config]).toEqual([undefined, { traceTypes: ['trace'] }])
    expect(single?.target).toMatchObject({
      kind: 'call',
      call: { priced: false, input: { value: 1n } },
    })
    expect(many?.target).toMatchObject({
      kind: 'calls',
      calls: [
        { input: { data: Uint8Array.of(1) }, config: { traceTypes: ['trace'] } },
        { input: { data: Uint8Array.of(2) }, config: { traceTypes: ['vmTrace', 'stateDiff'] } },
      ],
    })
    // A job with steps never runs on the main thread.
    expect(many?.config).toEqual({ traceTypes: ['vmTrace'] })
  })

  test('accepts overrides of the state and the block', async () => {
    const overrides = { [to]: { balance: '0x7' } }
    await ask('trace_call', { to }, ['trace'], 'latest', overrides, { number: '0x99' })
    expect(jobs()[0]?.target).toMatchObject({
      kind: 'call',
      call: { env: { number: 0x99 }, stateOverrides: [{ balance: 7n }] },
    })
  })

  test('accepts a signed transaction, whose sender pays', async () => {
    const signer = makeSigner(0xabcn)
    const sign = (chainId: bigint): Hex =>
      formatData(signTransaction({ ...two, chainId, gas: 30_000n, nonce: 77n }, signer))
    const { chainId } = node.context.rules
    await ask('trace_rawTransaction', sign(chainId), ['trace'])
    expect(jobs()[0]?.target).toMatchObject({
      kind: 'call',
      call: { priced: true, input: { nonce: 77n, gas: 30_000n } },
    })
    expect(await ask('trace_rawTransaction', sign(chainId + 1n), ['trace'])).toMatchObject({
      error: { message: `chainId does not match node's (have=${chainId + 1n}, want=${chainId})` },
    })
  })
})

test.each([
  [
    'trace_call',
    [{ to }, ['logs']],
    'invalid argument 1: unknown trace type "logs", want some of trace, vmTrace, stateDiff',
  ],
  ['trace_call', [{ to }, 'trace'], 'invalid argument 1: want an array of trace types, got string'],
  ['trace_call', [{ to }], 'missing value for required argument 1'],
  ['trace_callMany', [[[{ to }]]], 'invalid argument 0: want an array of trace types, got null'],
  [
    'trace_callMany',
    [[{ to }]],
    'invalid argument 0: want a pair of call and trace types, got object',
  ],
  ['trace_get', [UNKNOWN, '0x0'], 'invalid argument 1: want an array of positions, got string'],
  ['trace_get', [UNKNOWN, [-1]], 'invalid argument 1: want a count, got number'],
])('%s names what is wrong with %o', async (method, params, message) => {
  expect(await ask(method, ...params)).toEqual(bad(message))
})
