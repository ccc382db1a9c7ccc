import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ImportedChain } from '../../../../host/api/rpc/call/context.ts'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { encodeBlockAccessList } from '../../../../host/evm/chain-types/block-access-list.ts'
import { NO_ACCOUNT } from '../../../../host/evm/state/account.ts'
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

test('a block is found by its time', async () => {
  const times = [0, 1, 2].map((height) => node.chain.header(height)?.timestamp ?? 0)
  node.addBlock([])
  const at = async (time: number) => {
    const block = await node.call('erigon_getBlockByTimestamp', [time])
    return (block as { number: string }).number
  }
  const [first = 0, second = 0] = times
  expect(second).toBeGreaterThan(first)
  expect(await at(0)).toBe('0x0')
  expect(await at(second - 1)).toBe('0x0')
  expect(await at(second)).toBe('0x1')
  expect(await at(Number.MAX_SAFE_INTEGER)).toBe('0x2')
  const hash = formatData(node.chain.header(1)?.hash ?? new Uint8Array())
  expect(await node.call('erigon_getHeaderByHash', [hash])).toEqual(
    await node.call('erigon_getHeaderByNumber', ['0x1']),
  )
  expect(await node.call('erigon_getHeaderByHash', [`0x${'12'.repeat(32)}`])).toBeNull()
})

test('an account is read from the trie of an imported chain', async () => {
  const account = { balance: 9n, nonce: 7n, codeHash: repeat(0xc5, 32) }
  const prove = (_height: number, address: Uint8Array) => ({
    account: address[0] === RECIPIENT[0] ? account : NO_ACCOUNT,
    storageRoot: repeat(0x56, 32),
    proof: [],
    slots: [],
  })
  const imported = new FakeNode({}, { imported: { prove } as unknown as ImportedChain })
  expect(await imported.call('eth_getAccount', [formatData(RECIPIENT), 'latest'])).toEqual({
    balance: '0x9',
    nonce: '0x7',
    codeHash: formatData(repeat(0xc5, 32)),
    storageRoot: formatData(repeat(0x56, 32)),
  })
  expect(await imported.call('eth_getAccount', [`0x${'99'.repeat(20)}`])).toBeNull()
  imported.close()
  const text =
    'storage roots are unavailable on this chain: its state is not a Merkle Patricia trie'
  expect(await node.call('eth_getAccount', [formatData(RECIPIENT)])).toEqual(refused(-32000, text))
})

describe('block access lists', () => {
  const address = repeat(0xab, 20)
  const word = (byte: number) => repeat(byte, 32)
  const list = [
    {
      address,
      storageChanges: [{ slot: word(1), changes: [{ index: 1, value: word(2) }] }],
      storageReads: [word(3)],
      balanceChanges: [{ index: 2, value: bigintToBytes(5n, 32) }],
      nonceChanges: [{ index: 1, value: 4n }],
      codeChanges: [{ index: 1, value: Uint8Array.of(0xfe) }],
    },
  ]
  const listed = (blockAccessListHash: Uint8Array | undefined) => {
    const rules = { ethereumHeader: () => ({ blockAccessListHash }) }
    return new FakeNode(
      {},
      {
        imported: { rules } as unknown as ImportedChain,
        accessListOf: async () => list,
      },
    )
  }

  test('have the form of execution-apis, under the names of each client', async () => {
    const one = listed(word(9))
    one.addBlock([])
    const hash = formatData(one.chain.header(1)?.hash ?? new Uint8Array())
    const shown = [
      {
        address: formatData(address),
        storageChanges: [
          { key: formatData(word(1)), changes: [{ index: '0x1', value: formatData(word(2)) }] },
        ],
        storageReads: [formatData(word(3))],
        balanceChanges: [{ index: '0x2', value: '0x5' }],
        nonceChanges: [{ index: '0x1', value: '0x4' }],
        codeChanges: [{ index: '0x1', code: '0xfe' }],
      },
    ]
    for (const [method, block] of [
      ['eth_getBlockAccessList', '0x1'],
      ['eth_getBlockAccessList', { blockHash: hash }],
      ['eth_getBlockAccessListByHash', hash],
      ['eth_getBlockAccessListByBlockHash', hash],
      ['eth_getBlockAccessListByNumber', 'latest'],
      ['eth_getBlockAccessListByBlockNumber', '0x1'],
    ] as const) {
      expect(await one.call(method, [block]), method).toEqual(shown)
    }
    expect(await one.call('debug_getRawBlockAccessList', ['0x1'])).toBe(
      formatData(encodeBlockAccessList(list)),
    )
    // Block 0 executes nothing.
    expect(await one.call('eth_getBlockAccessList', ['0x0'])).toEqual([])
    expect(await one.call('debug_getRawBlockAccessList', ['0x0'])).toBe('0xc0')
    expect(await one.call('eth_getBlockAccessList', ['0x9'])).toBeNull()
    expect(await one.call('eth_getBlockAccessList', ['pending'])).toBeNull()
    one.close()
  })

  test('are a missing resource before Amsterdam, and unsupported on a native chain', async () => {
    const early = listed(undefined)
    early.addBlock([])
    const missing = refused(-32001, 'Resource not found: the block has no access list')
    for (const method of ['eth_getBlockAccessList', 'debug_getRawBlockAccessList']) {
      expect(await early.call(method, ['0x1'])).toEqual(missing)
    }
    expect(await early.call('debug_getRawBlockAccessList', ['0x9'])).toEqual(missing)
    early.close()
    const text =
      'block access lists are unavailable on this chain: its headers have none; ' +
      'debug_traceBlockStateAccess returns everything that a block read'
    expect(await node.call('eth_getBlockAccessList', ['0x1'])).toEqual(refused(-32000, text))
  })
})
