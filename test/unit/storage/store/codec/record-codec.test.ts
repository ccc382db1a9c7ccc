import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import {
  decodeHeaderRow,
  decodeTransactions,
  encodeHeaderRow,
} from '../../../../../host/storage/store/codec/block-codec.ts'
import { ByteReader } from '../../../../../host/storage/store/codec/byte-reader.ts'
import { ByteWriter } from '../../../../../host/storage/store/codec/byte-writer.ts'
import { decodeChangeset } from '../../../../../host/storage/store/codec/changeset-codec.ts'
import { decodeReceipts } from '../../../../../host/storage/store/codec/receipt-codec.ts'
import { decodeRecord, encodeRecord } from '../../../../../host/storage/store/codec/record-codec.ts'
import { account, blockRecord, slot } from '../chain/block-records.ts'

const record = blockRecord(
  9,
  {
    accounts: [[1, account(1, 2)]],
    cleared: [3],
    storage: [[1, 2, 3]],
    codes: [Uint8Array.of(1, 2), new Uint8Array(0)],
    legacy: [
      { key: slot(1), value: undefined },
      { key: slot(2), value: new Uint8Array(0) },
    ],
    modules: [{ module: 'bank', writes: [{ key: slot(3), value: slot(4) }] }],
  },
  6,
)

describe('a record', () => {
  test('is decoded unchanged', () => {
    const parts = decodeRecord(9, encodeRecord(record).bytes)
    const { block, receipts, transactionHashes } = record.executed
    expect(decodeHeaderRow(parts.header)).toEqual(block.header)
    expect(decodeTransactions(parts.transactions)).toEqual({ transactions: block.transactions })
    expect(decodeReceipts(parts.receipts)).toEqual(receipts)
    expect(parts.hashes.length).toBe(32 * transactionHashes.length)
    expect(parts.hashes.slice(64, 96)).toEqual(transactionHashes[2])
    expect(decodeChangeset(parts.changeset)).toEqual(record.changeset)
  })

  test('is refused if it is truncated, of another format or of another height', () => {
    const { bytes } = encodeRecord(record)
    const problem = (height: number, input: Uint8Array): string => {
      try {
        decodeRecord(height, input)
      } catch (thrown) {
        return (thrown as Error).message
      }
      return 'none'
    }
    const read = 'Database is corrupted: write-ahead log: record of height 9 cannot be read:'
    expect(problem(9, bytes.subarray(0, 3))).toBe(`${read} it ends too early`)
    expect(problem(9, bytes.subarray(0, bytes.length - 1))).toContain('it ends too early')
    const newer = bytes.slice()
    newer[3] = 3
    expect(problem(9, newer)).toBe(`${read} format 0x4c535203 is not known`)
    expect(problem(8, bytes)).toBe(
      'Database is corrupted: write-ahead log: record of height 8 cannot be read: it says it is of height 9',
    )
  })
})

describe('encoded integers', () => {
  test('of any size are decoded unchanged', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.bigInt({ min: 0n, max: 2n ** 34n }),
        (uint, big, small) => {
          const writer = new ByteWriter(1)
          writer.uint(uint)
          writer.big(big)
          writer.big(small)
          const reader = new ByteReader(writer.finish())
          expect([reader.uint(), reader.big(), reader.big()]).toEqual([uint, big, small])
          reader.finish()
        },
      ),
    )
  })

  test('above 2^53 or truncated are refused', () => {
    const over = new ByteReader(Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 127))
    expect(() => over.uint()).toThrow('an integer exceeds 2^53')
    expect(() => new ByteReader(Uint8Array.of(5, 1)).bytes()).toThrow('it ends too early')
    expect(() => new ByteReader(Uint8Array.of(5, 1)).finish()).toThrow('bytes are left over')
  })
})

describe('the header of a block', () => {
  const { header } = record.executed.block
  const resultsHash = slot(7)

  test('contains the hash of the results if it was written with one', () => {
    expect(decodeHeaderRow(encodeHeaderRow({ ...header, resultsHash }))).toEqual({
      ...header,
      resultsHash,
    })
    expect(decodeHeaderRow(encodeHeaderRow(header))).not.toHaveProperty('resultsHash')
  })

  test('has the encoding of release 0.1.0, followed by the hash', () => {
    const old = encodeHeaderRow(header)
    expect(encodeHeaderRow({ ...header, resultsHash })).toEqual(
      concatBytes([old, Uint8Array.of(32), resultsHash]),
    )
  })

  test('is refused if the bytes after it are truncated or of another length', () => {
    const bytes = encodeHeaderRow({ ...header, resultsHash })
    const old = encodeHeaderRow(header).length
    for (let end = old + 1; end < bytes.length; end++) {
      expect(() => decodeHeaderRow(bytes.subarray(0, end))).toThrow('it ends too early')
    }
    const shorter = concatBytes([
      bytes.subarray(0, old),
      Uint8Array.of(31),
      resultsHash.subarray(1),
    ])
    expect(() => decodeHeaderRow(shorter)).toThrow(/cannot be read/)
    expect(() => decodeHeaderRow(concatBytes([bytes, Uint8Array.of(0)]))).toThrow()
  })
})
