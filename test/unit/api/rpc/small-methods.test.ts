import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { FakeNode, RECIPIENT, repeat, transaction } from '../../../support/chain/fake-chain.ts'

let node: FakeNode
const log = () => ({ address: RECIPIENT, topics: [repeat(1, 32)], data: new Uint8Array(2) })

beforeEach(() => {
  node = new FakeNode()
  node.addBlock([
    { transaction: transaction(), logs: [log()] },
    { transaction: transaction({ nonce: 1n }), logs: [log(), log()] },
  ])
})

afterEach(() => {
  node.close()
  expect(node.defects).toEqual([])
})

const refused = (code: number, message: string) => ({ error: { code, message } })

test('a header is the block without its body fields', async () => {
  const block = (await node.call('eth_getBlockByNumber', ['0x1', false])) as Record<string, unknown>
  const { size, transactions, uncles, totalDifficulty, withdrawals, ...header } = block
  expect(await node.call('eth_getHeaderByNumber', ['0x1'])).toEqual(header)
  expect(await node.call('eth_getHeaderByHash', [header.hash])).toEqual(header)
  expect(await node.call('eth_getHeaderByNumber', ['0x9'])).toBeNull()
  expect(await node.call('eth_getHeaderByNumber', ['pending'])).toBeNull()
  expect(await node.call('eth_getHeaderByHash', [`0x${'12'.repeat(32)}`])).toBeNull()
})

test('a raw transaction is found by its index', async () => {
  const raw = formatData(transaction({ nonce: 1n }).raw)
  const hash = formatData(node.chain.header(1)?.hash ?? new Uint8Array())
  const byNumber = 'eth_getRawTransactionByBlockNumberAndIndex'
  expect(await node.call(byNumber, ['0x1', '0x1'])).toBe(raw)
  expect(await node.call('eth_getRawTransactionByBlockHashAndIndex', [hash, '0x1'])).toBe(raw)
  expect(await node.call(byNumber, ['0x1', '0x2'])).toBe('0x')
  expect(await node.call(byNumber, ['0x9', '0x0'])).toBe('0x')
})

test('eth_baseFee returns the base fee of the next block', async () => {
  const history = (await node.call('eth_feeHistory', ['0x1', 'latest'])) as {
    baseFeePerGas: string[]
  }
  expect(await node.call('eth_baseFee', [])).toBe(history.baseFeePerGas[1])
})

test('eth_pendingTransactions returns an empty list without unlocked accounts', async () => {
  expect(await node.call('eth_pendingTransactions', [])).toEqual([])
})

test('a height of 2^63-1 is written without rounding', async () => {
  expect(await node.call('debug_traceBlockByNumber', ['0x7fffffffffffffff'])).toEqual(
    refused(-32000, 'block #9223372036854775807 not found'),
  )
})

describe('eth_fillTransaction', () => {
  const to = `0x${'77'.repeat(20)}`

  test('fills missing fields from the market and does not sign', async () => {
    const filled = (await node.call('eth_fillTransaction', [
      { to, gas: '0x5208', nonce: '0x7' },
    ])) as { raw: string; tx: Record<string, unknown> }
    const tip = BigInt((await node.call('eth_maxPriorityFeePerGas', [])) as string)
    const baseFee = node.chain.header(node.chain.latest)?.baseFeePerGas ?? 0n
    expect(filled.raw.slice(0, 4)).toBe('0x02')
    expect(filled.tx).toMatchObject({
      type: '0x2',
      gas: '0x5208',
      nonce: '0x7',
      to,
      gasPrice: null,
      maxPriorityFeePerGas: `0x${tip.toString(16)}`,
      maxFeePerGas: `0x${(tip + 2n * baseFee).toString(16)}`,
      v: '0x0',
      r: '0x0',
      s: '0x0',
    })
    expect(filled.tx).not.toHaveProperty('from')
  })

  test('omits an empty list of authorizations', async () => {
    const fields = { to, gas: '0x5208', nonce: '0x7', authorizationList: [] }
    const { raw, tx } = (await node.call('eth_fillTransaction', [fields])) as {
      raw: string
      tx: Record<string, unknown>
    }
    expect(raw.slice(0, 4)).toBe('0x04')
    expect(tx.type).toBe('0x4')
    expect(tx).not.toHaveProperty('authorizationList')
  })

  test.each([
    [
      { data: '0x01', input: '0x02', to: `0x${'77'.repeat(20)}` },
      /^both "data" and "input" are set/,
    ],
    [{}, /^contract creation without any data provided$/],
    [{ gasPrice: '0x0' }, /^gasPrice must be non-zero after london fork$/],
    [
      { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
      /^maxFeePerGas \(0x1\) < maxPriorityFeePerGas \(0x2\)$/,
    ],
  ])('refuses %j', async (fields, message) => {
    expect(await node.call('eth_fillTransaction', [fields])).toEqual(
      refused(-32000, expect.stringMatching(message) as unknown as string),
    )
  })
})

test('the first invalid argument is named before a surplus of arguments', async () => {
  const high = `0x1${'0'.repeat(64)}`
  expect(await node.call('eth_getBlockByNumber', [high, true, 1])).toEqual(
    refused(-32602, 'invalid argument 0: hex number > 64 bits'),
  )
})

describe('debug_traceBlock', () => {
  test.each([
    ['0x', 'could not decode block: EOF'],
    ['0x1234', 'could not decode block: rlp: expected input list for types.extblock'],
  ])('refuses %s, which is not a list', async (raw, message) => {
    expect(await node.call('debug_traceBlock', [raw])).toEqual(refused(-32000, message))
  })

  test('traces a block of the chain and no other', async () => {
    expect(await node.call('debug_traceBlock', ['0xc0'])).toEqual(
      refused(-32000, expect.stringMatching(/^could not decode block: /) as unknown as string),
    )
  })
})

test('our own chain has no state roots between transactions', async () => {
  const hash = formatData(node.chain.header(1)?.hash ?? new Uint8Array())
  expect(await node.call('debug_intermediateRoots', [hash])).toEqual(
    refused(
      -32000,
      'no state roots between transactions on this chain: its state is hashed once per block',
    ),
  )
  const absent = `0x${'12'.repeat(32)}`
  expect(await node.call('debug_intermediateRoots', [absent])).toEqual(
    refused(-32000, `block ${absent} not found`),
  )
  expect(await node.call('debug_getBadBlocks', [])).toEqual([])
})
