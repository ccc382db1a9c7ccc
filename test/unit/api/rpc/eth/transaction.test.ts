import { describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import {
  keccak256,
  RECIPIENT,
  repeat,
  SENDER,
  transaction,
} from '../../../../support/chain/fake-chain.ts'
import { failedCallAnswer, GWEI, log, RpcFixture, TOPIC } from '../rpc-fixture.ts'

const rpc = new RpcFixture()
const OTHER_TOPIC = repeat(0x22, 32)

describe('transaction records', () => {
  const common = {
    from: `0x${'aa'.repeat(20)}`,
    gas: '0x5208',
    input: '0x',
    nonce: '0x0',
    to: `0x${'bb'.repeat(20)}`,
    transactionIndex: '0x0',
    value: '0x0',
    chainId: '0x531',
    r: '0x1234',
    s: '0x5678',
    blockNumber: '0x1',
    blockTimestamp: '0x6553f101',
  }
  const accessList = [{ address: repeat(0xcc, 20), storageKeys: [repeat(0xdd, 32)] }]
  const accessListRecord = [
    { address: `0x${'cc'.repeat(20)}`, storageKeys: [`0x${'dd'.repeat(32)}`] },
  ]
  const authorization = {
    chainId: 1329n,
    address: repeat(0xee, 20),
    nonce: 3n,
    yParity: 1n,
    r: 8n,
    s: 9n,
  }

  test.each([
    [
      0,
      transaction({ type: 0, maxFeePerGas: 60n * GWEI, maxPriorityFeePerGas: 60n * GWEI }),
      { gasPrice: '0xdf8475800', v: '0xa86', type: '0x0' },
    ],
    [
      1,
      transaction({
        type: 1,
        maxFeePerGas: 60n * GWEI,
        maxPriorityFeePerGas: 60n * GWEI,
        accessList,
      }),
      {
        gasPrice: '0xdf8475800',
        v: '0x1',
        yParity: '0x1',
        type: '0x1',
        accessList: accessListRecord,
      },
    ],
    [
      2,
      transaction({ accessList }),
      {
        // Base fee of 50 gwei and tip of 1.
        gasPrice: '0xbdfd63e00',
        maxFeePerGas: '0x174876e800',
        maxPriorityFeePerGas: '0x3b9aca00',
        v: '0x1',
        yParity: '0x1',
        type: '0x2',
        accessList: accessListRecord,
      },
    ],
    [
      4,
      transaction({ type: 4, authorizations: [authorization] }),
      {
        gasPrice: '0xbdfd63e00',
        maxFeePerGas: '0x174876e800',
        maxPriorityFeePerGas: '0x3b9aca00',
        v: '0x1',
        yParity: '0x1',
        type: '0x4',
        accessList: [],
        authorizationList: [
          {
            chainId: '0x531',
            address: `0x${'ee'.repeat(20)}`,
            nonce: '0x3',
            yParity: '0x1',
            r: '0x8',
            s: '0x9',
          },
        ],
      },
    ],
  ])('have exactly the fields of type %i', async (_, one, own) => {
    const { hash: blockHash } = rpc.node.addBlock([{ transaction: one }])
    const hash = formatData(one.hash)
    const expected = { ...common, ...own, hash, blockHash: formatData(blockHash) }
    expect(await rpc.node.call('eth_getTransactionByHash', [hash])).toEqual(expected)
    expect(await rpc.node.call('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0'])).toEqual(
      expected,
    )
    expect(
      await rpc.node.call('eth_getTransactionByBlockHashAndIndex', [formatData(blockHash), '0x0']),
    ).toEqual(expected)
    expect(await rpc.node.call('eth_getRawTransactionByHash', [hash])).toBe(formatData(one.raw))
  })

  test('have no chain id for a legacy transaction without one', async () => {
    const one = transaction({ type: 0, chainId: undefined })
    rpc.node.addBlock([{ transaction: one }])
    const record = await rpc.node.call('eth_getTransactionByHash', [formatData(one.hash)])
    expect(record).not.toHaveProperty('chainId')
  })

  test('have no index and the fee cap for a pending transaction', async () => {
    const one = transaction()
    rpc.node.pool.announce(one)
    const record = await rpc.node.call('eth_getTransactionByHash', [formatData(one.hash)])
    expect(record).toMatchObject({
      blockHash: null,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
      gasPrice: '0x174876e800',
    })
    expect(await rpc.node.call('eth_getRawTransactionByHash', [formatData(one.hash)])).toBe(
      formatData(one.raw),
    )
    expect(await rpc.node.call('eth_getTransactionReceipt', [formatData(one.hash)])).toBeNull()
  })

  test('have the raw form 0x if they do not exist, as in geth', async () => {
    const hash = `0x${'00'.repeat(32)}`
    for (const [method, ...params] of [
      ['eth_getRawTransactionByHash', hash],
      ['debug_getRawTransaction', hash],
      ['eth_getRawTransactionByBlockHashAndIndex', hash, '0x0'],
      ['eth_getRawTransactionByBlockNumberAndIndex', '0x0', '0x0'],
    ]) {
      expect(await rpc.node.call(method as string, params), method as string).toBe('0x')
    }
  })

  test('are null if they do not exist', async () => {
    const hash = `0x${'00'.repeat(32)}`
    for (const [method, ...params] of [
      ['eth_getTransactionByHash', hash],
      ['eth_getTransactionReceipt', hash],
      ['eth_getBlockByHash', hash, false],
      ['eth_getBlockByNumber', '0x99', false],
      ['eth_getBlockReceipts', '0x99'],
      ['eth_getTransactionByBlockHashAndIndex', hash, '0x0'],
      ['eth_getTransactionByBlockNumberAndIndex', '0x0', '0x0'],
      ['eth_getTransactionByBlockNumberAndIndex', '0x0', '0xffffffffffffffff'],
      ['eth_getBlockTransactionCountByHash', hash],
      ['eth_getBlockTransactionCountByNumber', '0x99'],
      ['eth_getUncleCountByBlockHash', hash],
      ['eth_getUncleCountByBlockNumber', '0x99'],
    ]) {
      expect(await rpc.node.call(method as string, params), method as string).toBeNull()
    }
  })
})

describe('transaction receipts', () => {
  test('have exactly their fields, and logs are numbered through the block', async () => {
    const first = transaction()
    const second = transaction({ nonce: 1n, to: undefined })
    const { hash: blockHash } = rpc.node.addBlock([
      { transaction: first, logs: [log(), log()] },
      {
        transaction: second,
        logs: [log([TOPIC, OTHER_TOPIC])],
        gasUsed: 90_000n,
        contractAddress: repeat(0xc0, 20),
      },
    ])
    const receipt = await rpc.node.call('eth_getTransactionReceipt', [formatData(second.hash)])
    const bloom = rpc.node.chain.receipts(1)?.[1]?.logsBloom ?? new Uint8Array()
    expect(receipt).toEqual({
      blockHash: formatData(blockHash),
      blockNumber: '0x1',
      contractAddress: `0x${'c0'.repeat(20)}`,
      cumulativeGasUsed: '0x1b198',
      effectiveGasPrice: '0xbdfd63e00',
      from: formatData(SENDER),
      gasUsed: '0x15f90',
      logs: [
        {
          address: formatData(RECIPIENT),
          topics: [formatData(TOPIC), formatData(OTHER_TOPIC)],
          data: '0x0102',
          blockNumber: '0x1',
          transactionHash: formatData(second.hash),
          transactionIndex: '0x1',
          blockHash: formatData(blockHash),
          blockTimestamp: '0x6553f101',
          logIndex: '0x2',
          removed: false,
        },
      ],
      logsBloom: formatData(bloom),
      status: '0x1',
      to: null,
      transactionHash: formatData(second.hash),
      transactionIndex: '0x1',
      type: '0x2',
    })
    expect(await rpc.node.call('eth_getBlockReceipts', ['latest'])).toMatchObject([
      { transactionHash: formatData(first.hash), contractAddress: null, to: formatData(RECIPIENT) },
      receipt,
    ])
  })

  test('have status 0x0 for a failed transaction', async () => {
    const one = transaction()
    rpc.node.addBlock([{ transaction: one, status: 0 }])
    expect(await rpc.node.call('eth_getTransactionReceipt', [formatData(one.hash)])).toMatchObject({
      status: '0x0',
      logs: [],
    })
  })
})

describe('sending a transaction', () => {
  test('passes the bytes to the pool and returns the hash', async () => {
    const raw = Uint8Array.of(2, 1, 2, 3)
    expect(await rpc.node.call('eth_sendRawTransaction', [formatData(raw)])).toBe(
      formatData(keccak256(raw)),
    )
    expect(rpc.node.pool.added).toEqual([raw])
  })

  test('keeps the message of a refusal', async () => {
    rpc.node.pool.add = async () => {
      throw new LockstepError('TRANSACTION_REJECTED', 'nonce too low: next nonce 2, tx nonce 1')
    }
    expect(await rpc.node.call('eth_sendRawTransaction', ['0x02'])).toEqual(
      failedCallAnswer('nonce too low: next nonce 2, tx nonce 1'),
    )
  })

  test('waits for the receipt in the synchronous form', async () => {
    const one = transaction()
    rpc.node.pool.add = async () => {
      setImmediate(() => rpc.node.addBlock([{ transaction: one }]))
      return one.hash
    }
    expect(await rpc.node.call('eth_sendRawTransactionSync', [formatData(one.raw)])).toMatchObject({
      transactionHash: formatData(one.hash),
      blockNumber: '0x1',
      status: '0x1',
    })
  })

  test('returns the hash in the synchronous form if the wait times out', async () => {
    const one = transaction()
    rpc.node.pool.add = async () => one.hash
    const hash = formatData(one.hash)
    expect(await rpc.node.call('eth_sendRawTransactionSync', [formatData(one.raw), 5])).toEqual({
      error: {
        code: 4,
        message: `transaction ${hash} was added to the pool but not mined within 5 ms`,
        data: hash,
      },
    })
  })
})
