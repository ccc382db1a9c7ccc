import { beforeEach, describe, expect, test } from 'vitest'
import { formatData, formatQuantity } from '../../../../../host/base/hex.ts'
import { RECIPIENT, repeat, transaction } from '../../../../support/chain/fake-chain.ts'
import { invalidParamsAnswer, log, RpcFixture, TOPIC } from '../rpc-fixture.ts'

const rpc = new RpcFixture()
const OTHER_TOPIC = repeat(0x22, 32)
const STRANGER = repeat(0x77, 20)

describe('erigon_getLatestLogs', () => {
  beforeEach(() => {
    rpc.node.addBlock([{ transaction: transaction(), logs: [log(), log([OTHER_TOPIC, TOPIC])] }])
    rpc.node.addBlock([])
    rpc.node.addBlock([
      { transaction: transaction({ nonce: 1n }), logs: [log([], STRANGER), log()] },
      { transaction: transaction({ nonce: 2n }), logs: [log([OTHER_TOPIC]), log()] },
    ])
  })

  const ask = (filter: object, options?: object) =>
    rpc.node.call('erigon_getLatestLogs', options === undefined ? [filter] : [filter, options])
  const found = async (filter: object, options?: object) => {
    const logs = (await ask(filter, options)) as { blockNumber: string; logIndex: string }[]
    return logs.map(({ blockNumber, logIndex }) => `${blockNumber}:${logIndex}`)
  }

  test('returns the last block that has any, its last transaction first', async () => {
    expect(await found({})).toEqual(['0x3:0x2', '0x3:0x3', '0x3:0x0', '0x3:0x1'])
    expect(await found({ topics: [null, formatData(TOPIC)] })).toEqual(['0x1:0x1'])
    expect(await found({ toBlock: '0x2' })).toEqual(['0x1:0x0', '0x1:0x1'])
    expect(await found({ fromBlock: '0x2', toBlock: '0x2' })).toEqual([])
    expect(await found({ address: formatData(STRANGER) })).toEqual(['0x3:0x0'])
  })

  test('has the members of eth_getLogs, and the time of the block', async () => {
    const filter = { address: formatData(STRANGER), fromBlock: '0x0' }
    const [one] = (await rpc.node.call('eth_getLogs', [filter])) as object[]
    const timestamp = formatQuantity(rpc.node.chain.header(3)?.timestamp as number)
    expect(await ask(filter)).toEqual([{ ...one, timestamp }])
  })

  test('counts logs or blocks that have any', async () => {
    const all = ['0x3:0x2', '0x3:0x3', '0x3:0x0', '0x3:0x1', '0x1:0x0', '0x1:0x1']
    expect(await found({}, { logCount: 3 })).toEqual(all.slice(0, 3))
    expect(await found({}, { logCount: 5 })).toEqual(all.slice(0, 5))
    expect(await found({}, { logCount: 50 })).toEqual(all)
    expect(await found({}, { blockCount: 2 })).toEqual(all)
    expect(await found({}, { blockCount: '0x1' })).toEqual(all.slice(0, 4))
    expect(await ask({}, { logCount: 1, blockCount: 1 })).toEqual(
      invalidParamsAnswer(
        'logs count & block count are ambiguous: pass one of logCount and blockCount',
      ),
    )
  })

  test('finds a topic at any position if asked to', async () => {
    const topics = [formatData(TOPIC)]
    const inOrder = ['0x3:0x3', '0x3:0x1', '0x1:0x0']
    expect(await found({ topics }, { logCount: 9 })).toEqual(inOrder)
    expect(await found({ topics }, { logCount: 9, ignoreTopicsOrder: true })).toEqual([
      ...inOrder,
      '0x1:0x1',
    ])
  })

  test('is bounded as eth_getLogs is', async () => {
    rpc.replaceNode({ logs: 1 })
    rpc.node.addBlock([
      { transaction: transaction(), logs: [log([TOPIC], RECIPIENT), log([TOPIC], RECIPIENT)] },
    ])
    expect(await ask({})).toMatchObject({
      error: { message: 'query returned more than 1 results (evm.max_log_no_block)' },
    })
    expect(await found({}, { logCount: 1 })).toEqual(['0x1:0x0'])
  })
})
