import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { whole } from '../../../../../host/api/trace-pool/trace-cache.ts'
import type { TraceRequest, TraceRunner } from '../../../../../host/api/trace-pool/trace-runner.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { receiptParts } from '../../../../../host/evm/trace/bundle/bundle-receipt.ts'
import type { TraceTarget } from '../../../../../host/evm/trace/job/trace-job.ts'
import {
  FakeNode,
  RECIPIENT,
  repeat,
  SENDER,
  transaction,
} from '../../../../support/chain/fake-chain.ts'

const failed = (message: string) => ({ error: { code: -32000, message } })
const before = transaction({ nonce: 8n })
const one = transaction({ to: undefined, gas: 90_000n })
const hash = formatData(one.hash)
const CREATED = repeat(0xcc, 20)

/** Accepts requests and returns an empty object for each. */
class TakingRunner implements TraceRunner {
  readonly requests: TraceRequest[] = []

  async start(request: TraceRequest) {
    this.requests.push(request)
    return whole(Buffer.from('{}'))
  }

  async close() {}
}

let node: FakeNode
let runner: TakingRunner

function start(limits = {}, overrides = {}): void {
  runner = new TakingRunner()
  node = new FakeNode(limits, { traces: runner, ...overrides })
  node.addBlock([
    { transaction: before },
    { transaction: one, gasUsed: 53_000n, status: 0, contractAddress: CREATED },
    { transaction: transaction({ nonce: 9n }) },
  ])
}

function accessOf({ job: { target } }: TraceRequest) {
  return (target as TraceTarget & { kind: 'stateAccess' }).access
}

beforeEach(() => start())
afterEach(() => node.close())

describe('debug_traceStateAccess', () => {
  test('returns the plan up to the transaction, with its receipts', async () => {
    expect(await node.call('debug_traceStateAccess', [hash])).toEqual({})
    const [request] = runner.requests as [TraceRequest]
    expect(request.job.plan?.transactions.map(({ gasUsed }) => gasUsed)).toEqual([21_000n, 53_000n])
    const { scope, engineHash, receipts } = accessOf(request)
    expect({ scope, engineHash }).toEqual({ scope: 'transaction', engineHash: '00'.repeat(32) })
    expect(receipts.map((receipt) => receiptParts(receipt).slice(0, 3))).toEqual([
      [
        ['type', '0x2'],
        ['status', '0x01'],
        ['cumulativeGasUsed', '0x5208'],
      ],
      [
        ['type', '0x2'],
        ['status', '0x'],
        ['cumulativeGasUsed', '0x012110'],
      ],
    ])
  })

  test('lists every receipt of the block', async () => {
    await node.call('debug_traceStateAccess', [hash])
    const { receipt } = accessOf(runner.requests[0] as TraceRequest).chain
    expect(receipt).toHaveLength(3)
    expect(receipt[1]).toEqual({
      blockNumber: '0x1',
      contractAddress: formatData(CREATED),
      cumulativeGasUsed: '0x12110',
      effectiveGasPrice: '0xbdfd63e00',
      from: formatData(SENDER),
      gasUsed: '0xcf08',
      status: '0x0',
      to: null,
      transactionHash: hash,
      transactionIndex: '0x1',
      type: '0x2',
    })
    expect(receipt[0]).toMatchObject({ contractAddress: null, to: formatData(RECIPIENT) })
  })

  test("includes the consensus RPC's data about the block, if there is any", async () => {
    await node.call('debug_traceStateAccess', [hash])
    node.close()
    const imported = runner.requests
    start({}, { consensusBlock: (height: number) => ({ block: { height } }) })
    await node.call('debug_traceStateAccess', [hash])
    expect(accessOf(imported[0] as TraceRequest).chain.tendermint).toEqual([])
    expect(accessOf(runner.requests[0] as TraceRequest).chain.tendermint).toEqual([
      { endpoint: 'Block', arguments: ['1'], response: { block: { height: 1 } } },
    ])
  })

  test('has the limits of every trace', async () => {
    const unknown = `0x${'00'.repeat(32)}`
    expect(await node.call('debug_traceStateAccess', [unknown])).toMatchObject(
      failed('transaction not found'),
    )
    node.close()
    start({ traceLookbackBlocks: 1, traceTimeoutMs: 1234 })
    await node.call('debug_traceStateAccess', [hash])
    expect(runner.requests).toMatchObject([{ timeoutMs: 1234 }])
    node.addBlock([])
    node.addBlock([])
    expect(await node.call('debug_traceStateAccess', [hash])).toMatchObject(
      failed('block number 1 is beyond max lookback of 1'),
    )
    expect(runner.requests).toHaveLength(1)
  })
})

describe('debug_traceBlockStateAccess', () => {
  test('returns the whole block', async () => {
    expect(await node.call('debug_traceBlockStateAccess', ['latest'])).toEqual({})
    const [request] = runner.requests as [TraceRequest]
    expect(request.job.plan?.transactions).toHaveLength(3)
    expect(accessOf(request)).toMatchObject({ scope: 'block' })
    expect(accessOf(request).receipts).toHaveLength(3)
  })

  test('refuses genesis', async () => {
    expect(await node.call('debug_traceBlockStateAccess', ['0x0'])).toMatchObject(
      failed('genesis is not traceable'),
    )
  })
})
