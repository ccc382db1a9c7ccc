import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  TraceOutput,
  TraceRequest,
  TraceRunner,
} from '../../../../../host/api/trace-pool/trace-runner.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { FakeNode, RECIPIENT, SENDER, transaction } from '../../../../support/chain/fake-chain.ts'
import { failedCallAnswer, invalidParamsAnswer } from '../rpc-fixture.ts'

const to = formatData(RECIPIENT)
const from = formatData(SENDER)

/** Answers each job with an empty list. */
class ListRunner implements TraceRunner {
  readonly requests: TraceRequest[] = []

  async start(request: TraceRequest): Promise<TraceOutput> {
    this.requests.push(request)
    return Buffer.from('[]')
  }

  async close() {}
}

let node: FakeNode
let runner: ListRunner

beforeEach(() => {
  runner = new ListRunner()
  node = new FakeNode({}, { traces: runner })
  node.addBlock([{ transaction: transaction() }, { transaction: transaction({ nonce: 1n }) }])
})
afterEach(() => node.close())

const ask = (method: string, ...params: unknown[]) => node.call(method, params)
const job = () => (runner.requests.at(-1) as TraceRequest).job
const METHODS = ['eth_callMany', 'debug_traceCallMany']

describe.each(METHODS)('%s', (method) => {
  test('runs bundles in blocks one after another, whose overrides hold on', async () => {
    const bundles = [
      {
        transactions: [
          { from, to },
          { to, data: '0x01' },
        ],
        blockOverride: { number: '0x99' },
      },
      { transactions: [] },
      {
        transactions: [{ to, gasPrice: '0x1' }],
        blockOverride: { timestamp: '0x7', coinbase: to, baseFee: '0x9' },
      },
    ]
    expect(await ask(method, bundles)).toEqual([])
    const { plan, target } = job()
    expect(plan).toBeUndefined()
    const time = node.chain.header(1)?.timestamp as number
    expect(target).toMatchObject({
      kind: 'bundles',
      stateOverrides: [],
      bundles: [
        [
          { env: { number: 0x99, timestamp: time, baseFee: 0n }, input: { from: SENDER } },
          { env: { number: 0x99, timestamp: time }, input: { data: Uint8Array.of(1) } },
        ],
        [],
        [{ env: { number: 0x9b, timestamp: 7n, coinbase: RECIPIENT, baseFee: 9n }, priced: true }],
      ],
    })
  })

  test('begins after a number of transactions of any block', async () => {
    const bundles = [{ transactions: [{ to }] }]
    await ask(method, bundles, { blockNumber: '0x1', transactionIndex: 1 })
    expect(job().plan?.transactions).toHaveLength(1)
    for (const transactionIndex of [-1, '-1', null]) {
      await ask(method, bundles, { blockNumber: 'latest', transactionIndex })
      expect(job().plan).toBeUndefined()
    }
    await ask(method, bundles, { blockNumber: '0x1', transactionIndex: 2 })
    expect(job().plan?.transactions).toHaveLength(2)
    expect(await ask(method, bundles, { blockNumber: '0x1', transactionIndex: 3 })).toEqual(
      failedCallAnswer('transaction index 3 out of range for block #1'),
    )
    expect(await ask(method, bundles, { blockNumber: 'pending' })).toEqual(
      failedCallAnswer('tracing on top of pending is not supported'),
    )
    expect(await ask(method, bundles, { blockNumber: '0x9' })).toEqual(
      failedCallAnswer('block #9 not found'),
    )
  })

  test.each([
    [[], invalidParamsAnswer('empty bundles')],
    [[{ transactions: [] }], invalidParamsAnswer('empty bundles')],
    ['0x', invalidParamsAnswer('invalid argument 0: want an array of bundles, got string')],
    [[1], invalidParamsAnswer('invalid argument 0: want a bundle, got number')],
    [
      [{ transactions: [{ to }], blockOverride: { blockHash: {} } }],
      invalidParamsAnswer(
        'invalid argument 0: unknown field "blockHash" in block override (blockOverride)',
      ),
    ],
    [
      [{ calls: [{ to }] }],
      invalidParamsAnswer('invalid argument 0: unknown field "calls" in bundle'),
    ],
  ])('refuses bundles %o', async (bundles, answer) => {
    expect(await ask(method, bundles)).toEqual(answer)
    expect(runner.requests).toEqual([])
  })

  test('bounds the number of calls', async () => {
    const bundles = [{ transactions: Array.from({ length: 10_001 }, () => ({ to })) }]
    expect(await ask(method, bundles)).toMatchObject({
      error: { message: 'too many calls: 10001 > 10000' },
    })
  })
})

test('eth_callMany takes overrides of the state and a time limit', async () => {
  const bundles = [{ transactions: [{ to }] }]
  await ask('eth_callMany', bundles, {}, { [to]: { balance: '0x7' } }, 50)
  expect(job()).toMatchObject({
    tracer: 'outcomeTracer',
    target: { stateOverrides: [{ balance: 7n }] },
  })
  expect(runner.requests[0]?.timeoutMs).toBe(50)
  await ask('eth_callMany', bundles, {}, {}, 0)
  expect(runner.requests[1]?.timeoutMs).toBeGreaterThan(50)
})

test('debug_traceCallMany takes the options of debug_traceCall, but for those of its bundles', async () => {
  const bundles = [{ transactions: [{ to }] }]
  const stateOverrides = { [to]: { nonce: '0x7' } }
  const options = { tracer: 'callTracer', tracerConfig: { withLog: true }, stateOverrides }
  await ask('debug_traceCallMany', bundles, null, options)
  expect(job()).toMatchObject({
    tracer: 'callTracer',
    config: { withLog: true },
    target: { stateOverrides: [{ nonce: 7n }] },
  })
  for (const [option, value] of [
    ['txIndex', 0],
    ['blockOverrides', { number: '0x1' }],
  ]) {
    expect(await ask('debug_traceCallMany', bundles, null, { [option as string]: value })).toEqual(
      invalidParamsAnswer(`trace option "${option}" is not supported for this RPC method`),
    )
  }
})
