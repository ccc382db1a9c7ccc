import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import { FakeNode, keccak256, repeat, transaction } from '../../../../support/chain/fake-chain.ts'
import { log, TOPIC } from '../rpc-fixture.ts'

let node: FakeNode
const heard: string[] = []

beforeEach(() => {
  node = new FakeNode()
  heard.length = 0
})

afterEach(() => node.close())

const OTHER = [repeat(0x22, 32)]

function addBlocks(): void {
  const at = (nonce: bigint) => transaction({ nonce })
  node.addBlock([{ transaction: at(0n), logs: [log()] }])
  node.addBlock([{ transaction: at(1n), logs: [log(OTHER), log()] }])
  node.addBlock([{ transaction: at(2n), logs: [log()] }])
}

/** Removes the blocks above a height, as a development chain does. */
function cut(height: number): void {
  node.context.filters.cut(height, node.chain, keccak256)
  const tellHead = node.context.subscriptions.cut(height, node.chain)
  node.chain.blocks.length = height + 1
  tellHead()
}

interface LogRecord {
  readonly blockNumber: string
  readonly logIndex: string
  readonly removed: boolean
}

const shown = ({ blockNumber, logIndex, removed }: LogRecord) =>
  `${removed ? '-' : '+'}${blockNumber}:${logIndex}`

const changes = async (id: unknown) => {
  const logs = (await node.call('eth_getFilterChanges', [id])) as LogRecord[]
  return logs.map(shown)
}

test('a log filter reports removed logs once as removed, and then the following ones', async () => {
  const id = await node.call('eth_newFilter', [{ topics: [formatData(TOPIC)] }])
  addBlocks()
  expect(await changes(id)).toEqual(['+0x1:0x0', '+0x2:0x1', '+0x3:0x0'])
  cut(1)
  node.addBlock([{ transaction: transaction({ nonce: 9n }), logs: [log()] }])
  expect(await changes(id)).toEqual(['-0x2:0x1', '-0x3:0x0', '+0x2:0x0'])
  expect(await changes(id)).toEqual([])
})

test('a log that was never reported is not reported as removed', async () => {
  const id = await node.call('eth_newFilter', [{}])
  addBlocks()
  cut(0)
  expect(await changes(id)).toEqual([])
})

test('a log filter stays within its range after a revert', async () => {
  const id = await node.call('eth_newFilter', [{ fromBlock: '0x3', toBlock: '0x9' }])
  addBlocks()
  expect(await changes(id)).toEqual(['+0x3:0x0'])
  cut(0)
  expect(await changes(id)).toEqual(['-0x3:0x0'])
})

test('a block filter reports the replacements of removed blocks', async () => {
  const id = await node.call('eth_newBlockFilter', [])
  addBlocks()
  expect(await node.call('eth_getFilterChanges', [id])).toHaveLength(3)
  cut(1)
  expect(await node.call('eth_getFilterChanges', [id])).toEqual([])
  const { hash } = node.addBlock([])
  expect(await node.call('eth_getFilterChanges', [id])).toEqual([formatData(hash)])
})

test('subscriptions report removed logs and then the new head', async () => {
  const { subscriptions, work } = node.context
  const subscriber = {
    account: work.account('192.0.2.1'),
    giveUp: () => heard.push('gone'),
    send: async () => {},
    notify: (text: string) => {
      const { result } = JSON.parse(text).params
      heard.push(result.logIndex === undefined ? `head ${result.number}` : shown(result))
    },
  }
  subscriptions.subscribe(subscriber, { kind: 'newHeads' })
  subscriptions.subscribe(subscriber, {
    kind: 'logs',
    filter: { addresses: [], topics: [[TOPIC]] },
  })
  // Heads are announced in yields of the connection: at once only if there is time.
  addBlocks()
  const added = ['head 0x1', '+0x1:0x0', 'head 0x2', '+0x2:0x1', 'head 0x3', '+0x3:0x0']
  await expect.poll(() => heard).toEqual(added)
  cut(1)
  node.addBlock([])
  const removed = ['-0x2:0x1', '-0x3:0x0', 'head 0x1', 'head 0x2']
  await expect.poll(() => heard).toEqual([...added, ...removed])
})

test('a block that replaced a removed one is returned, also to earlier requests', async () => {
  const one = transaction({ nonce: 0n })
  const hash = formatData(one.hash)
  const asked: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getTransactionByHash', [hash]],
    ['eth_getBlockByNumber', ['0x1', false]],
    ['eth_getBlockByNumber', ['0x1', true]],
    ['eth_getBlockReceipts', ['0x1']],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1' }]],
  ]
  const answers = () => Promise.all(asked.map(([method, params]) => node.call(method, [...params])))
  node.addBlock([{ transaction: one, gasUsed: 21_000n }])
  const before = await answers()
  expect(await answers()).toEqual(before)
  cut(0)
  expect(await answers()).toEqual([
    null,
    null,
    null,
    null,
    null,
    expect.objectContaining({ error: expect.objectContaining({ code: -32602 }) }),
  ])
  node.addBlock([
    { transaction: transaction({ nonce: 7n }) },
    { transaction: one, gasUsed: 50_000n, logs: [log()] },
  ])
  const [receipt, mined, block, full, receipts, logs] = (await answers()) as Record<
    string,
    unknown
  >[]
  expect(receipt).toMatchObject({ gasUsed: '0xc350', transactionIndex: '0x1' })
  expect(mined).toMatchObject({ hash, transactionIndex: '0x1' })
  expect(block?.transactions).toHaveLength(2)
  expect(full?.transactions).toHaveLength(2)
  expect(receipts).toHaveLength(2)
  expect(logs).toHaveLength(1)
})
