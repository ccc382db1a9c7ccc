import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { FakeNode, keccak256, repeat, transaction } from '../../../support/chain/fake-chain.ts'
import { log, TOPIC } from '../../../support/chain/rpc-fixture.ts'

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

test('a log filter reports the logs that it has reported as removed, once, and then those that follow', async () => {
  const id = await node.call('eth_newFilter', [{ topics: [formatData(TOPIC)] }])
  addBlocks()
  expect(await changes(id)).toEqual(['+0x1:0x0', '+0x2:0x1', '+0x3:0x0'])
  cut(1)
  node.addBlock([{ transaction: transaction({ nonce: 9n }), logs: [log()] }])
  expect(await changes(id)).toEqual(['-0x2:0x1', '-0x3:0x0', '+0x2:0x0'])
  expect(await changes(id)).toEqual([])
})

test('a log that no poll has reported is not reported as removed', async () => {
  const id = await node.call('eth_newFilter', [{}])
  addBlocks()
  cut(0)
  expect(await changes(id)).toEqual([])
})

test('a log filter keeps to its range', async () => {
  const id = await node.call('eth_newFilter', [{ fromBlock: '0x3', toBlock: '0x9' }])
  addBlocks()
  expect(await changes(id)).toEqual(['+0x3:0x0'])
  cut(0)
  expect(await changes(id)).toEqual(['-0x3:0x0'])
})

test('a block filter reports the blocks that come in the place of others', async () => {
  const id = await node.call('eth_newBlockFilter', [])
  addBlocks()
  expect(await node.call('eth_getFilterChanges', [id])).toHaveLength(3)
  cut(1)
  expect(await node.call('eth_getFilterChanges', [id])).toEqual([])
  const { hash } = node.addBlock([])
  expect(await node.call('eth_getFilterChanges', [id])).toEqual([formatData(hash)])
})

test('subscriptions hear of removed logs, then of the head that the chain has gone back to', () => {
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
  addBlocks()
  heard.length = 0
  cut(1)
  node.addBlock([])
  expect(heard).toEqual(['-0x2:0x1', '-0x3:0x0', 'head 0x1', 'head 0x2'])
})
