import { beforeEach, describe, expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import { RECIPIENT, repeat, transaction } from '../../../../support/chain/fake-chain.ts'
import { failedCallAnswer, invalidParamsAnswer, log, RpcFixture, TOPIC } from '../rpc-fixture.ts'

const rpc = new RpcFixture()
const OTHER_TOPIC = repeat(0x22, 32)

describe('eth_getLogs', () => {
  const address = formatData(RECIPIENT)
  const topic = formatData(TOPIC)
  const other = formatData(OTHER_TOPIC)

  beforeEach(() => {
    rpc.node.addBlock([{ transaction: transaction(), logs: [log(), log([OTHER_TOPIC, TOPIC])] }])
    rpc.node.addBlock([])
    rpc.node.addBlock([
      { transaction: transaction({ nonce: 1n }), logs: [log([], repeat(0x77, 20))] },
    ])
  })

  const found = async (filter: object) => {
    const logs = (await rpc.node.call('eth_getLogs', [
      { fromBlock: '0x0', toBlock: 'latest', ...filter },
    ])) as { blockNumber: string; logIndex: string }[]
    return logs.map(({ blockNumber, logIndex }) => `${blockNumber}:${logIndex}`)
  }

  test('matches address and topics', async () => {
    expect(await found({})).toEqual(['0x1:0x0', '0x1:0x1', '0x3:0x0'])
    expect(await found({ address })).toEqual(['0x1:0x0', '0x1:0x1'])
    expect(await found({ address: [address, `0x${'77'.repeat(20)}`] })).toHaveLength(3)
    expect(await found({ address: [] })).toHaveLength(3)
    expect(await found({ address: `0x${'78'.repeat(20)}` })).toEqual([])
    expect(await found({ topics: [topic] })).toEqual(['0x1:0x0'])
    expect(await found({ topics: [null, topic] })).toEqual(['0x1:0x1'])
    expect(await found({ topics: [[topic, other]] })).toEqual(['0x1:0x0', '0x1:0x1'])
    expect(await found({ topics: [[]] })).toEqual(['0x1:0x0', '0x1:0x1'])
    expect(await found({ topics: [topic, topic] })).toEqual([])
    expect(await found({ fromBlock: '0x2' })).toEqual(['0x3:0x0'])
  })

  test('searches by block hash', async () => {
    const blockHash = formatData(rpc.node.chain.header(1)?.hash ?? new Uint8Array())
    expect(await rpc.node.call('eth_getLogs', [{ blockHash, topics: [topic] }])).toMatchObject([
      { blockHash, logIndex: '0x0', removed: false },
    ])
    expect(await rpc.node.call('eth_getLogs', [{ blockHash: `0x${'00'.repeat(32)}` }])).toEqual(
      failedCallAnswer('unknown block'),
    )
    expect(await rpc.node.call('eth_getLogs', [{ blockHash, fromBlock: '0x0' }])).toEqual(
      invalidParamsAnswer(
        'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
      ),
    )
  })

  test('requires a valid range within the limits', async () => {
    expect(await rpc.node.call('eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }])).toEqual(
      invalidParamsAnswer('invalid block range params'),
    )
    expect(await rpc.node.call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x9' }])).toEqual(
      invalidParamsAnswer('block range extends beyond current head block'),
    )
    rpc.node.chain.earliest = 2
    expect(
      await rpc.node.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }]),
    ).toMatchObject({
      error: { code: 4444, message: 'requested height 1 has been pruned; earliest available is 2' },
    })
  })

  test.each([
    [{ fromBlock: '0x2', toBlock: '0x1' }, 'invalid block range params'],
    [{ fromBlock: '0x9' }, 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: '0x1' }, 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: '0x9' }, 'invalid block range params'],
    [
      { fromBlock: '0x7fffffffffffffff', toBlock: '0x7ffffffffffffffe' },
      'invalid block range params',
    ],
    [{ fromBlock: '0x8', toBlock: '0x9' }, 'block range extends beyond current head block'],
    [{ fromBlock: 'pending' }, 'pending logs are not supported'],
    [{ toBlock: 'pending' }, 'pending logs are not supported'],
  ])('refuses the range %j with the message of geth', async (range, message) => {
    expect(await rpc.node.call('eth_getLogs', [range])).toEqual(invalidParamsAnswer(message))
  })

  test.each([
    [{ fromBlock: '0x2', toBlock: '0x1' }, 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: '0x9' }, 'invalid block range params'],
    [{ fromBlock: 'pending' }, 'pending logs are not supported'],
  ])('refuses a filter with the range %j', async (range, message) => {
    expect(await rpc.node.call('eth_newFilter', [range])).toEqual(invalidParamsAnswer(message))
  })

  test('answers a single block whole, by height and by hash', async () => {
    const { blocks } = rpc.node.chain
    const count = 12_004
    rpc.replaceNode({ logs: 10, responseBytes: 10_000 })
    rpc.node.chain.blocks.length = 0
    rpc.node.chain.blocks.push(...blocks)
    rpc.node.addBlock([{ transaction: transaction({ nonce: 2n }), logs: Array(count).fill(log()) }])
    const blockHash = formatData(rpc.node.chain.header(4)?.hash ?? new Uint8Array())
    for (const query of [{ blockHash }, { fromBlock: '0x4', toBlock: '0x4' }, {}]) {
      const logs = (await rpc.node.call('eth_getLogs', [query])) as { logIndex: string }[]
      expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual(
        Array.from({ length: count }, (_, i) => i),
      )
    }
    expect(await rpc.node.call('eth_getLogs', [{ fromBlock: '0x3' }])).toMatchObject({
      error: {
        message: 'query returned more than 10 results. Try with this block range [0x3, 0x3].',
      },
    })
  })

  test('streams a few logs with many bytes as it does many logs, and limits them in a batch', async () => {
    rpc.replaceNode({ responseBytes: 100_000 })
    const logs = Array.from({ length: 3 }, (_, i) => ({
      ...log(),
      data: new Uint8Array(50_000).fill(i),
    }))
    rpc.node.addBlock([{ transaction: transaction(), logs }])
    const answered = (await rpc.node.call('eth_getLogs', [{}])) as { data: string }[]
    expect(answered.map(({ data }) => data)).toEqual(logs.map(({ data }) => formatData(data)))
    const ask = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{}] }
    expect(await rpc.node.answer(JSON.stringify([ask]))).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32003, message: 'response too large' } },
    ])
  })

  test('names the limit if there are too many blocks or logs', async () => {
    const { blocks } = rpc.node.chain
    rpc.replaceNode({ logBlocks: 3, logs: 2 })
    rpc.node.chain.blocks.length = 0
    rpc.node.chain.blocks.push(...blocks)
    expect(await rpc.node.call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x3' }])).toEqual({
      error: {
        code: -32000,
        message: 'block range too large (4), maximum allowed is 3 blocks',
        data: { limit: 3, key: 'evm.max_blocks_for_log' },
      },
    })
    expect(await rpc.node.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }])).toEqual({
      error: {
        code: -32000,
        message: 'query returned more than 2 results. Try with this block range [0x1, 0x2].',
        data: { from: '0x1', to: '0x2', limit: 2, key: 'evm.max_log_no_block' },
      },
    })
  })

  test.each([
    [{ topics: ['0x12'] }, 'hex has invalid length 1 after decoding; expected 32 for topic'],
    [{ topics: [5] }, 'invalid topic(s)'],
    [{ address: [`0x${'77'.repeat(20)}`, null] }, 'non-string address at index 1'],
    [{ address: ['0x1'] }, 'invalid address at index 0: hex string of odd length'],
    [{ topics: 'x' }, 'want topics, got string'],
    [{ topics: [null, null, null, null, null] }, 'exceed max topics'],
    [{ address: 5 }, 'invalid addresses in query'],
  ])('refuses the filter %.50j', async (filter, text) => {
    expect(await rpc.node.call('eth_getLogs', [filter])).toEqual(
      invalidParamsAnswer(`invalid argument 0: ${text}`),
    )
  })

  test('stops when its caller disconnects', async () => {
    for (let i = 0; i < 100; i++) rpc.node.addBlock([])
    const read: number[] = []
    const header = rpc.node.chain.header.bind(rpc.node.chain)
    rpc.node.chain.header = (height) => {
      read.push(height)
      // Longer than a search runs without a yield.
      const begun = performance.now()
      while (performance.now() - begun < 1);
      return header(height)
    }
    const caller = new AbortController()
    const answer = rpc.node.call('eth_getLogs', [{ fromBlock: '0x0' }], { signal: caller.signal })
    caller.abort()
    expect(await answer).toEqual({ error: { code: -32002, message: 'request aborted' } })
    expect(Math.max(...read)).toBeLessThan(64)
  })

  test('reads receipts only if the bloom matches', async () => {
    const read: number[] = []
    const receipts = rpc.node.chain.receipts.bind(rpc.node.chain)
    rpc.node.chain.receipts = (height) => {
      read.push(height)
      return receipts(height)
    }
    expect(await found({ topics: [topic] })).toEqual(['0x1:0x0'])
    expect(read).toEqual([1])
  })
})

describe('polling a filter', () => {
  test('reports each log once', async () => {
    const id = await rpc.node.call('eth_newFilter', [{ topics: [formatData(TOPIC)] }])
    expect(id).toMatch(/^0x[0-9a-f]{32}$/)
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual([])
    rpc.node.addBlock([{ transaction: transaction(), logs: [log(), log([OTHER_TOPIC])] }])
    rpc.node.addBlock([{ transaction: transaction({ nonce: 1n }), logs: [log()] }])
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toMatchObject([
      { blockNumber: '0x1' },
      { blockNumber: '0x2' },
    ])
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual([])
    expect(await rpc.node.call('eth_getFilterLogs', [id])).toHaveLength(1)
  })

  test('stays within the range of a log filter', async () => {
    const id = await rpc.node.call('eth_newFilter', [{ fromBlock: '0x2', toBlock: '0x3' }])
    for (let nonce = 0n; nonce < 4n; nonce++) {
      rpc.node.addBlock([{ transaction: transaction({ nonce }), logs: [log()] }])
    }
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toMatchObject([
      { blockNumber: '0x2' },
      { blockNumber: '0x3' },
    ])
  })

  test('reports the hashes of new blocks', async () => {
    const id = await rpc.node.call('eth_newBlockFilter', [])
    const hashes = [rpc.node.addBlock([]), rpc.node.addBlock([])].map(({ hash }) =>
      formatData(hash),
    )
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual(hashes)
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual([])
    expect(await rpc.node.call('eth_getFilterLogs', [id])).toEqual(
      failedCallAnswer('filter not found'),
    )
  })

  test('reports the hashes of pending transactions', async () => {
    const id = await rpc.node.call('eth_newPendingTransactionFilter', [])
    const one = transaction()
    rpc.node.pool.announce(one)
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual([formatData(one.hash)])
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual([])
  })

  test('starts a pending filter at its creation, and shares the stored hashes', async () => {
    const ids = [await rpc.node.call('eth_newPendingTransactionFilter', [])]
    const hashes: string[] = []
    for (let nonce = 0n; nonce < 3n; nonce++) {
      const one = transaction({ nonce })
      rpc.node.pool.announce(one)
      hashes.push(formatData(one.hash))
      ids.push(await rpc.node.call('eth_newPendingTransactionFilter', []))
    }
    for (const [i, id] of ids.entries()) {
      expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual(hashes.slice(i))
      expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual([])
    }
  })

  test('keeps a filter alive among any number of idle ones', async () => {
    rpc.replaceNode({ filters: 10 })
    const polled = await rpc.node.call('eth_newBlockFilter', [])
    const first = await rpc.node.call('eth_newBlockFilter', [])
    for (let i = 0; i < 100; i++) {
      await rpc.node.call('eth_newPendingTransactionFilter', [])
      expect(await rpc.node.call('eth_getFilterChanges', [polled])).toEqual([])
    }
    expect(await rpc.node.call('eth_getFilterChanges', [first])).toEqual(
      failedCallAnswer('filter not found'),
    )
    expect(rpc.node.context.filters.size).toBe(10)
  })

  test('ends when it is uninstalled or idle', async () => {
    rpc.replaceNode({ filterIdleMs: 60_000 })
    const id = await rpc.node.call('eth_newBlockFilter', [])
    expect(await rpc.node.call('eth_uninstallFilter', [id])).toBe(true)
    expect(await rpc.node.call('eth_uninstallFilter', [id])).toBe(false)
    expect(await rpc.node.call('eth_getFilterChanges', [id])).toEqual(
      failedCallAnswer('filter not found'),
    )
    const idle = await rpc.node.call('eth_newBlockFilter', [])
    rpc.node.context.filters.removeIdle(Date.now() + 59_000)
    expect(await rpc.node.call('eth_getFilterChanges', [idle])).toEqual([])
    rpc.node.context.filters.removeIdle(Date.now() + 61_000)
    expect(await rpc.node.call('eth_getFilterChanges', [idle])).toEqual(
      failedCallAnswer('filter not found'),
    )
  })
})
