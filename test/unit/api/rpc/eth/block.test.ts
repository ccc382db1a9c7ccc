import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import { transaction } from '../../../../support/chain/fake-chain.ts'
import { invalidParamsAnswer, log, RpcFixture } from '../rpc-fixture.ts'

const rpc = new RpcFixture()

describe('blocks in eth_ methods', () => {
  test('have exactly their fields, with hashes or records', async () => {
    const one = transaction()
    const header = rpc.node.addBlock([{ transaction: one, logs: [log()] }])
    const block = {
      number: '0x1',
      hash: formatData(header.hash),
      parentHash: formatData(header.parentHash),
      nonce: '0x0000000000000000',
      mixHash: `0x${'04'.repeat(32)}`,
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      logsBloom: formatData(header.logsBloom),
      stateRoot: `0x${'01'.repeat(32)}`,
      transactionsRoot: `0x${'02'.repeat(32)}`,
      receiptsRoot: `0x${'03'.repeat(32)}`,
      miner: `0x${'fe'.repeat(20)}`,
      difficulty: '0x0',
      totalDifficulty: '0x0',
      extraData: '0x',
      gasLimit: '0xbebc20',
      gasUsed: '0x5208',
      timestamp: '0x6553f101',
      baseFeePerGas: '0xba43b7400',
      withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      size: `0x${one.raw.length.toString(16)}`,
      uncles: [],
      withdrawals: [],
      transactions: [formatData(one.hash)],
    }
    expect(await rpc.node.call('eth_getBlockByNumber', ['0x1', false])).toEqual(block)
    expect(await rpc.node.call('eth_getBlockByHash', [formatData(header.hash)])).toEqual(block)
    const record = await rpc.node.call('eth_getTransactionByHash', [formatData(one.hash)])
    expect(await rpc.node.call('eth_getBlockByNumber', ['latest', true])).toEqual({
      ...block,
      transactions: [record],
    })
    expect(await rpc.node.call('eth_getBlockTransactionCountByNumber', ['0x1'])).toBe('0x1')
    expect(await rpc.node.call('eth_getUncleCountByBlockNumber', ['0x1'])).toBe('0x0')
    expect(await rpc.node.call('eth_blockNumber', [])).toBe('0x1')
  })

  test('include latest, safe and finalized, which are the same block', async () => {
    rpc.node.addBlock([])
    for (const tag of ['latest', 'safe', 'finalized']) {
      expect(await rpc.node.call('eth_getBlockByNumber', [tag, false])).toMatchObject({
        number: '0x1',
      })
    }
    expect(await rpc.node.call('eth_getBlockByNumber', ['earliest', false])).toMatchObject({
      number: '0x0',
    })
  })

  test.each([
    ['newest', 'hex string without 0x prefix'],
    ['1', 'hex string without 0x prefix'],
    ['0x', 'hex string "0x"'],
    ['0x01', 'hex number with leading zero digits'],
    ['0xg', 'invalid hex string'],
    ['0x8000000000000000', 'block number larger than int64'],
    ['', 'empty hex string'],
    ['0x10000000000000000', 'hex number > 64 bits'],
    [1, 'hex string without 0x prefix'],
  ])('are not found by the block argument %j', async (block, text) => {
    expect(await rpc.node.call('eth_getBlockByNumber', [block, false])).toEqual(
      invalidParamsAnswer(`invalid argument 0: ${text}`),
    )
  })

  test('are answered with error 4444 and the earliest height if they are pruned', async () => {
    for (let i = 0; i < 3; i++) rpc.node.addBlock([])
    rpc.node.chain.earliest = 2
    expect(await rpc.node.call('eth_getBlockByNumber', ['0x1', false])).toEqual({
      error: {
        code: 4444,
        message: 'requested height 1 has been pruned; earliest available is 2',
        data: { requested: 1, earliest: 2, latest: 3 },
      },
    })
  })

  test('are described by eth_capabilities', async () => {
    const { hash } = rpc.node.addBlock([])
    rpc.node.stateEarliest = 1
    expect(await rpc.node.call('eth_capabilities', [])).toEqual({
      head: { number: '0x1', hash: formatData(hash) },
      state: { disabled: false, oldestBlock: '0x1' },
      tx: { disabled: false, oldestBlock: '0x0' },
      logs: { disabled: false, oldestBlock: '0x0' },
      receipts: { disabled: false, oldestBlock: '0x0' },
      blocks: { disabled: false, oldestBlock: '0x0' },
      stateproofs: { disabled: true },
    })
  })
})
