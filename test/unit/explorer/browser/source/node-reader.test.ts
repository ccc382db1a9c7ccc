import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { formatQuantity, type Hex } from '../../../../../host/base/hex.ts'
import { NodeClient } from '../../../../../host/client/remote-node/node-client.ts'
import { watchHeads } from '../../../../../host/explorer/browser/source/head-watch.ts'
import { NodeReader } from '../../../../../host/explorer/browser/source/node-reader.ts'
import {
  type FakeCall,
  type FakeNode,
  FakeRefusal,
  startFakeNode,
} from '../../../../support/rpc/fake-node.ts'
import { until } from '../../../../support/until.ts'

const word = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const address = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`
const HEIGHT = 12

const transaction = {
  hash: word(0xabc),
  type: '0x2',
  from: address(1),
  to: null,
  nonce: '0x7',
  value: '0x0',
  gas: '0x5208',
  input: '0x60',
  blockNumber: '0x5',
  blockHash: word(5),
  transactionIndex: '0x0',
}

const receipt = {
  status: '0x0',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x3b9aca00',
  contractAddress: address(9),
  logs: [{ address: address(9), topics: [word(1)], data: '0x' }],
}

const block = (number: number, isFull = false) => ({
  number: formatQuantity(number),
  hash: word(number),
  parentHash: word(Math.max(0, number - 1)),
  timestamp: '0x64',
  miner: address(3),
  gasUsed: '0x0',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
  transactions: number === 5 ? [isFull ? transaction : transaction.hash] : [],
})

/** Answers like a correct node. */
function honest({ method, params }: FakeCall): unknown {
  const [first, second] = params as [string, boolean]
  switch (method) {
    case 'eth_chainId':
      return '0x1'
    case 'eth_blockNumber':
      return formatQuantity(HEIGHT)
    case 'eth_getBlockByNumber':
      return Number(first) > HEIGHT ? null : block(Number(first), second)
    case 'eth_getBlockByHash':
      return Number(first) > HEIGHT ? null : block(Number(first), second)
    case 'eth_getTransactionByHash':
      return first === transaction.hash ? transaction : null
    case 'eth_getTransactionReceipt':
      return receipt
    case 'eth_getBlockReceipts':
      return Number(first) === 5 ? [{ ...receipt, transactionHash: transaction.hash }] : []
    case 'eth_feeHistory': {
      const [count, last] = [Number(first), Number(second)]
      const ratios = Array.from({ length: count }, (_, i) => (last - count + 1 + i === 5 ? 0.5 : 0))
      return { oldestBlock: formatQuantity(last - count + 1), gasUsedRatio: ratios }
    }
    case 'eth_getBalance':
      return '0x0de0b6b3a7640000'
    case 'eth_getTransactionCount':
      return '0x1'
    case 'eth_getCode':
      return '0x6001'
    default:
      return new FakeRefusal(-32601, `the method ${method} does not exist/is not available`)
  }
}

describe('the node reader', () => {
  let node: FakeNode
  let reader: NodeReader
  let answer: (call: FakeCall) => unknown

  beforeEach(async () => {
    answer = honest
    node = await startFakeNode({ answer: (call) => answer(call) })
    reader = new NodeReader(new NodeClient(node.url, { retries: 0 }))
  })

  afterEach(() => node.stop())

  async function refused(promise: Promise<unknown>): Promise<string> {
    const thrown = await promise.then(
      () => new Error('resolved'),
      (error: unknown) => error,
    )
    if (!(thrown instanceof LockstepError)) throw thrown
    return `${thrown.code}: ${thrown.message.replaceAll(node.url, 'NODE')}`
  }

  test('finds the blocks with transactions, also on a node without a fee history', async () => {
    expect(await reader.filledBlocks(HEIGHT, 8)).toEqual({ numbers: [5], from: 0 })
    expect(await reader.filledBlocks(4, 1)).toEqual({ numbers: [], from: 0 })
    answer = (call) =>
      call.method === 'eth_feeHistory' ? new FakeRefusal(-32601, 'no such method') : honest(call)
    expect(await reader.filledBlocks(HEIGHT, 8)).toEqual({ numbers: [5], from: 0 })
    answer = (call) =>
      call.method === 'eth_feeHistory' ? { oldestBlock: '0x1', gasUsedRatio: [0.5] } : honest(call)
    await expect(reader.filledBlocks(HEIGHT, 1)).rejects.toThrow('a history from block 1 for 12')
  })

  test('reads the transactions of blocks with their outcomes', async () => {
    const [five, six] = await reader.minedTransactions([5, 6])
    expect(five).toMatchObject([
      { hash: transaction.hash, timestamp: 100, receipt: { success: false, gasUsed: 21_000n } },
    ])
    expect(six).toEqual([])
    answer = (call) =>
      call.method === 'eth_getBlockReceipts' ? new FakeRefusal(-32601, 'no such') : honest(call)
    expect((await reader.minedTransactions([5])).flat()).toMatchObject([{ receipt: undefined }])
    answer = (call) =>
      call.method === 'eth_getBlockReceipts'
        ? [{ ...receipt, transactionHash: word(1) }]
        : honest(call)
    await expect(reader.minedTransactions([5])).rejects.toThrow('the hash of the transaction')
  })

  test('searches the transactions of an address in the index of the node, or says why it cannot', async () => {
    const page = {
      txs: [transaction],
      receipts: [{ ...receipt, transactionHash: transaction.hash, timestamp: '0x64' }],
      firstPage: true,
      lastPage: false,
    }
    answer = ({ method }) =>
      method === 'ots_getContractCreator' ? { hash: word(9), creator: address(4) } : page
    expect(await reader.searchedTransactions(address(1), 0, 25)).toMatchObject({
      kind: 'page',
      isLast: false,
      rows: [{ hash: transaction.hash, timestamp: 100, receipt: { success: false } }],
    })
    expect(await reader.contractCreator(address(9))).toEqual({ hash: word(9), creator: address(4) })
    const off = 'the address index is off: set evm.address_index'
    answer = () => new FakeRefusal(-32000, off)
    expect(await reader.searchedTransactions(address(1), 0, 25)).toEqual({
      kind: 'no index',
      why: off,
    })
    answer = () => new FakeRefusal(-32601, 'the method does not exist')
    expect(await reader.searchedTransactions(address(1), 0, 25)).toMatchObject({ kind: 'no index' })
    expect(await reader.contractCreator(address(9))).toBeUndefined()
    answer = () => new FakeRefusal(-32000, 'disk is full')
    await expect(reader.searchedTransactions(address(1), 0, 25)).rejects.toThrow('disk is full')
  })

  test('lists the last blocks in one request', async () => {
    const rows = await reader.recentBlocks(4)
    expect(rows.map(({ number }) => number)).toEqual([12, 11, 10, 9])
    expect(rows[0]).toEqual({
      number: 12,
      hash: word(12),
      parentHash: word(11),
      timestamp: 100,
      miner: address(3),
      gasUsed: 0n,
      gasLimit: 30_000_000n,
      baseFee: 7n,
      transactionCount: 0,
    })
    expect(node.requests.map(({ length }) => length)).toEqual([1, 4])
    expect(await reader.recentBlocks(4, 1)).toHaveLength(2)
  })

  test('gives a block with its transactions, and a transaction with its receipt', async () => {
    const row = {
      ...transaction,
      type: 2,
      to: undefined,
      nonce: 7n,
      value: 0n,
      gas: 21_000n,
      blockNumber: 5,
      index: 0,
    }
    const { transactionIndex: _, ...shown } = row
    expect((await reader.block(5))?.transactions).toEqual([shown])
    expect(await reader.block(word(5))).toEqual(await reader.block(5))
    expect(await reader.block(13)).toBeUndefined()
    expect(await reader.transaction(transaction.hash)).toEqual({
      ...shown,
      receipt: {
        success: false,
        gasUsed: 21_000n,
        effectiveGasPrice: 1_000_000_000n,
        contractAddress: address(9),
        logs: receipt.logs,
      },
    })
    expect(await reader.transaction(word(1))).toBeUndefined()
    expect(await reader.account(address(1))).toEqual({
      address: address(1),
      balance: 10n ** 18n,
      nonce: 1n,
      code: '0x6001',
    })
  })

  test.each([
    [' 5 ', { kind: 'block', number: 5 }],
    ['0xc', { kind: 'block', number: 12 }],
    [
      transaction.hash.toUpperCase().replace('X', 'x'),
      { kind: 'transaction', hash: transaction.hash },
    ],
    [word(7), { kind: 'block', number: 7 }],
    [address(1), { kind: 'address', address: address(1) }],
  ])('finds what "%s" names', async (text, found) => {
    expect(await reader.search(text)).toEqual(found)
  })

  test('explains the fault of an invalid search text', async () => {
    expect(await refused(reader.search('vitalik.eth'))).toBe(
      'INVALID_ARGUMENT: "vitalik.eth" is not a hash, address or block number',
    )
    expect(await refused(reader.search('1,300'))).toBe(
      'NOT_FOUND: NODE has no block 1300: its last is 12',
    )
    expect(await refused(reader.search(word(0xdef)))).toBe(
      `NOT_FOUND: NODE has no transaction and no block with hash ${word(0xdef)}`,
    )
  })

  test.each<[string, string, unknown, (reader: NodeReader) => Promise<unknown>, string]>([
    [
      'a number that is none',
      'eth_blockNumber',
      '<img src=x onerror=alert(1)>',
      (one) => one.height(),
      'want a hex quantity of at most 53 bits, got "<img src=x onerror=alert(1)>"',
    ],
    [
      'a height beyond what a number holds',
      'eth_blockNumber',
      `0x${'f'.repeat(15)}`,
      (one) => one.height(),
      'want a hex quantity of at most 53 bits, got "0xfffffffffffffff"',
    ],
    [
      'an array for a block',
      'eth_getBlockByNumber',
      [],
      (one) => one.block(5),
      'want an object, got an array of 0',
    ],
    [
      'another block',
      'eth_getBlockByNumber',
      block(6),
      (one) => one.block(5),
      'another block came',
    ],
    [
      'a block that is not of its place in a list',
      'eth_getBlockByNumber',
      block(3),
      (one) => one.recentBlocks(1),
      'block 3 for block 12',
    ],
    [
      'a transaction without a sender',
      'eth_getBlockByNumber',
      { ...block(5), transactions: [{ ...transaction, from: null }] },
      (one) => one.block(5),
      'transactions[0].from: want 0x and hex digits of 20 bytes, got null',
    ],
    [
      'another transaction',
      'eth_getTransactionByHash',
      transaction,
      (one) => one.transaction(word(4)),
      'another transaction came',
    ],
    [
      'a status that is none',
      'eth_getTransactionReceipt',
      { ...receipt, status: true },
      (one) => one.transaction(transaction.hash),
      'status: want "0x0", "0x1", got true',
    ],
    [
      'code that is no hex',
      'eth_getCode',
      '0x600',
      (one) => one.account(address(1)),
      'want 0x and hex digits, got "0x600"',
    ],
    [
      'a balance of more than 256 bits',
      'eth_getBalance',
      `0x1${'0'.repeat(64)}`,
      (one) => one.account(address(1)),
      'want a hex quantity of at most 256 bits, got "0x100000000000000000000000000000000000000000000...',
    ],
  ])('refuses %s', async (_, method, result, read, message) => {
    answer = (call) => (call.method === method ? result : honest(call))
    expect(await refused(read(reader))).toBe(`PEER_INVALID: NODE: ${method}: ${message}`)
  })
})

describe('a head subscription', () => {
  test('reports each new height once, reports a failure once, and continues', async () => {
    const answers: (number | Error)[] = [
      3,
      3,
      new LockstepError('NODE_UNREACHABLE', 'gone'),
      new LockstepError('NODE_UNREACHABLE', 'gone'),
      4,
    ]
    const told: string[] = []
    const ending = new AbortController()
    await watchHeads(
      {
        height: () => {
          const next = answers.shift()
          if (answers.length === 0) ending.abort()
          return typeof next === 'number' ? Promise.resolve(next) : Promise.reject(next)
        },
      },
      {
        signal: ending.signal,
        everyMs: 1,
        onHead: (height) => told.push(`head ${height}`),
        onFailure: ({ message }) => told.push(message),
      },
    )
    expect(told).toEqual(['head 3', 'gone'])
  })

  test('sends no request while the page is hidden', async () => {
    const document = Object.assign(new EventTarget(), { hidden: true })
    Object.defineProperty(globalThis, 'document', { value: document, configurable: true })
    const ending = new AbortController()
    try {
      let asked = 0
      const watch = watchHeads(
        { height: () => Promise.resolve(++asked) },
        { signal: ending.signal, everyMs: 1, onHead: () => {}, onFailure: () => {} },
      )
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(asked).toBe(0)
      document.hidden = false
      document.dispatchEvent(new Event('visibilitychange'))
      await until(() => asked > 2)
      document.hidden = true
      ending.abort()
      await watch
    } finally {
      Reflect.deleteProperty(globalThis, 'document')
    }
  })
})
