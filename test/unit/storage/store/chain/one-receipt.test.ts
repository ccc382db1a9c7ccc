import { describe, expect, test } from 'vitest'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import type { Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import { PackedReceipts, packedBody } from '../../../../../host/storage/store/chain/packed-block.ts'
import {
  decodeTransactions,
  encodeTransactions,
} from '../../../../../host/storage/store/codec/block-codec.ts'
import { encodeReceipts } from '../../../../../host/storage/store/codec/receipt-codec.ts'
import type { NodeStorage } from '../../../../../host/storage/store/node-storage.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'
import { address, blockRecord, digest, header, slot } from './block-records.ts'

/** Receipts with every combination of optional parts. */
function everyShape(): Receipt[] {
  return Array.from({ length: 32 }, (_, i) => ({
    type: ([0, 1, 2, 3, 4] as const)[i % 5] ?? 0,
    transactionHash: digest('hash', i),
    from: address(i),
    to: i & 1 ? address(i + 100) : undefined,
    contractAddress: i & 2 ? address(i + 200) : undefined,
    status: i & 4 ? 1 : 0,
    gasUsed: BigInt(i) << 40n,
    cumulativeGasUsed: 2n ** 64n - BigInt(i),
    effectiveGasPrice: BigInt(i),
    logs: Array.from({ length: i % 6 }, (_, n) => ({
      address: address(n),
      topics: Array.from({ length: n % 5 }, (_, t) => slot(t)),
      data: new Uint8Array(n * 100),
    })),
    logsBloom: new Uint8Array(256).fill(i % 3),
    ...(i & 8 ? { stateRoot: digest('root', i) } : {}),
    ...(i & 16 ? { blobGas: { used: 131_072n, price: 2n ** 70n } } : {}),
  }))
}

describe('a single receipt read from a block', () => {
  test('equals the receipt decoded with all others, including the index of its first log', () => {
    const receipts = everyShape()
    const packed = new PackedReceipts(encodeReceipts(receipts))
    expect(packed.length).toBe(32)
    const order = receipts.map((_, i) => (i * 11) % 32)
    for (const index of [...order, ...order]) {
      const firstLogIndex = receipts.slice(0, index).reduce((sum, { logs }) => sum + logs.length, 0)
      expect(packed.at(index)).toEqual({ receipt: receipts[index], firstLogIndex })
    }
    expect(packed.at(32)).toBeUndefined()
    expect(packed.at(-1)).toBeUndefined()
  })

  test('is refused if the bytes are truncated', () => {
    const bytes = encodeReceipts(everyShape())
    for (let end = 1; end < bytes.length; end += 97) {
      const packed = new PackedReceipts(bytes.subarray(0, end))
      expect(() => packed.at(31)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPTED' }))
    }
  })
})

test('ommers and withdrawals are found without decoding the transactions before them', () => {
  const withdrawal = { index: 3n, validatorIndex: 4n, address: address(1), amount: 5n }
  for (const count of [0, 1, 200]) {
    const transactions = Array.from({ length: count }, (_, i) => digest('raw', i))
    const block = { header: header(1), transactions }
    expect(packedBody(encodeTransactions(block))).toBeUndefined()
    for (const withdrawals of [undefined, [], [withdrawal]]) {
      const bytes = encodeTransactions({ ...block, ethereum: { ommers: [], withdrawals } })
      const { ethereum } = decodeTransactions(bytes)
      expect(packedBody(bytes)).toEqual({ ommers: [], withdrawals })
      expect(packedBody(bytes)).toEqual(ethereum)
    }
  }
})

function expectSingles(storage: NodeStorage, height: number): void {
  const { block, receipts } = blockRecord(height, {}, 9).executed
  for (let index = 8; index >= 0; index--) {
    expect(storage.chain.transaction(height, index)).toEqual(block.transactions[index])
    expect(storage.chain.receipt(height, index)?.receipt).toEqual(receipts[index])
  }
  // Every second receipt has one log
  expect(storage.chain.receipt(height, 8)?.firstLogIndex).toBe(4)
  expect([...(storage.chain.eachReceipt(height) ?? [])]).toEqual(receipts)
  expect(storage.chain.transactionCount(height)).toBe(9)
  const hashes = receipts.map(({ transactionHash }) => transactionHash)
  expect(storage.chain.transactionHashes(height)).toEqual(concatBytes(hashes))
  expect(storage.chain.body(height)).toBeUndefined()
  expect(storage.chain.transaction(height, 9)).toBeUndefined()
  expect(storage.chain.receipt(height, 9)).toBeUndefined()
}

test('the chain store reads one transaction and one receipt, whether pending or stored', async () => {
  const dir = temporaryDir()
  let storage = await openAt(dir, { flushInterval: 100 })
  for (let height = 0; height <= 3; height++) {
    await storage.append(blockRecord(height, {}, 9))
    expectSingles(storage, height)
  }
  await storage.close()
  storage = await openAt(dir)
  for (let height = 0; height <= 3; height++) expectSingles(storage, height)
  expect(storage.chain.transaction(4, 0)).toBeUndefined()
  expect(storage.chain.receipt(4, 0)).toBeUndefined()
  expect(storage.chain.eachReceipt(4)).toBeUndefined()
  expect(storage.chain.transactionCount(4)).toBeUndefined()
  expect(storage.chain.transactionHashes(4)).toBeUndefined()
  expect(storage.chain.body(4)).toBeUndefined()
  await storage.close()
})
