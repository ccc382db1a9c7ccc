import { describe, expect, test } from 'vitest'
import { transaction } from '../../../../support/chain/fake-chain.ts'
import { failedCallAnswer, GWEI, RpcFixture } from '../rpc-fixture.ts'

const rpc = new RpcFixture()

describe('the fee methods', () => {
  test('suggest the base fee plus a tenth on an empty chain', async () => {
    expect(await rpc.node.call('eth_gasPrice', [])).toBe(`0x${(55n * GWEI).toString(16)}`)
    expect(await rpc.node.call('eth_maxPriorityFeePerGas', [])).toBe('0x3b9aca00')
  })

  test('suggest the median tip after a full block', async () => {
    const tips = [1n, 7n, 30n]
    rpc.node.addBlock(
      tips.map((tip, i) => ({
        transaction: transaction({ nonce: BigInt(i), maxPriorityFeePerGas: tip * GWEI }),
        gasUsed: 4_000_000n,
      })),
    )
    expect(await rpc.node.call('eth_maxPriorityFeePerGas', [])).toBe(
      `0x${(7n * GWEI).toString(16)}`,
    )
    expect(await rpc.node.call('eth_gasPrice', [])).toBe(`0x${(57n * GWEI).toString(16)}`)
  })

  test('weigh the rewards of the history by gas', async () => {
    rpc.node.addBlock([])
    rpc.node.addBlock([
      { transaction: transaction({ maxPriorityFeePerGas: 9n }), gasUsed: 1_000_000n },
      { transaction: transaction({ nonce: 1n, maxPriorityFeePerGas: 2n }), gasUsed: 3_000_000n },
    ])
    const base = '0xba43b7400'
    expect(await rpc.node.call('eth_feeHistory', ['0x2', 'latest', [0, 75, 76, 100]])).toEqual({
      oldestBlock: '0x1',
      reward: [
        ['0x0', '0x0', '0x0', '0x0'],
        ['0x2', '0x2', '0x9', '0x9'],
      ],
      baseFeePerGas: [base, base, base],
      gasUsedRatio: [0, 0.32],
      baseFeePerBlobGas: ['0x0', '0x0', '0x0'],
      blobGasUsedRatio: [0, 0],
    })
    const plain = await rpc.node.call('eth_feeHistory', [1, '0x1'])
    expect(plain).toMatchObject({ oldestBlock: '0x1', gasUsedRatio: [0] })
    expect(plain).not.toHaveProperty('reward')
    expect(await rpc.node.call('eth_feeHistory', ['0xffff', 'latest'])).toMatchObject({
      oldestBlock: '0x0',
    })
  })

  test.each([
    [[101], '101.000000'],
    [[-1], '-1.000000'],
    [[50, 50], '#0:50.000000 >= #1:50.000000'],
    [Array.from({ length: 101 }, (_, i) => i), 'over the query limit 100'],
  ])('refuse the percentiles %j', async (percentiles, message) => {
    expect(await rpc.node.call('eth_feeHistory', ['0x1', 'latest', percentiles])).toEqual(
      failedCallAnswer(`invalid reward percentile: ${message}`),
    )
  })

  test('return a history of no blocks from block 0, whatever else is requested', async () => {
    const none = { oldestBlock: '0x0', gasUsedRatio: null }
    expect(await rpc.node.call('eth_feeHistory', ['0x0', 'latest'])).toEqual(none)
    expect(await rpc.node.call('eth_feeHistory', [0, '0x7fffffff', [101]])).toEqual(none)
  })

  test('report no blobs', async () => {
    expect(await rpc.node.call('eth_blobBaseFee', [])).toEqual(
      failedCallAnswer('blobs not supported on this chain'),
    )
  })
})
