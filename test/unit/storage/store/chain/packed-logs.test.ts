import { expect, test } from 'vitest'
import { matchingLogs } from '../../../../../host/evm/chain-types/log-filter.ts'
import { PackedLogs } from '../../../../../host/storage/store/chain/packed-logs.ts'
import { encodeReceipts } from '../../../../../host/storage/store/codec/receipt-codec.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { loggedBlock, randomFilter, randomLogs } from './random-logs.ts'

const seed = runSeed()

test(`a filter matches the same logs in stored receipts as in decoded ones (LOCKSTEP_SEED=${seed})`, () => {
  const random = makeRandom(seed)
  let found = 0
  for (let height = 1; height <= 500; height++) {
    const { block, receipts } = loggedBlock(height, randomLogs(random)).executed
    const packed = new PackedLogs(block.header, encodeReceipts(receipts))
    const { number, hash, timestamp } = block.header
    for (let query = 0; query < 10; query++) {
      const filter = randomFilter(random)
      const expected = [...matchingLogs(filter, { ...block.header }, receipts)].map(
        ({ log, place }) => ({ log, place: { ...place, header: { number, hash, timestamp } } }),
      )
      const matching = packed.matching(filter)
      expect(matching.map(({ log, place }) => ({ log, place }))).toEqual(expected)
      expect(packed.matching(filter)).toEqual(matching)
      found += expected.length
    }
  }
  expect(found).toBeGreaterThan(100)
})

test('packed logs do not change when the bytes that they were made from change', () => {
  const { block, receipts } = loggedBlock(1, [
    [],
    [{ address: new Uint8Array(20).fill(7), topics: [], data: Uint8Array.of(1, 2) }],
  ]).executed
  const bytes = encodeReceipts(receipts).slice()
  const packed = new PackedLogs(block.header, bytes)
  const everything = { addresses: [], topics: [] }
  const before = structuredClone(packed.matching(everything))
  bytes.fill(0xff)
  expect(packed.matching(everything)).toEqual(before)
  expect(before).toMatchObject([
    { log: { data: Uint8Array.of(1, 2) }, place: { transactionIndex: 1, logIndex: 0 } },
  ])
  expect(packed.bytes).toBeGreaterThan(bytes.length)
})

test('logs that are found twice are the same objects and count once', () => {
  const log = { address: new Uint8Array(20), topics: [], data: new Uint8Array(8) }
  const { block, receipts } = loggedBlock(1, [[log, log]]).executed
  const packed = new PackedLogs(block.header, encodeReceipts(receipts))
  const everything = { addresses: [], topics: [] }
  const before = packed.bytes
  const first = packed.matching(everything)
  const counted = packed.bytes
  expect(counted - before).toBeGreaterThan(2 * 1024)
  const again = packed.matching(everything)
  for (const [i, found] of first.entries()) expect(again[i]).toBe(found)
  expect(packed.bytes).toBe(counted)
})

test('truncated receipts are refused', () => {
  const { block, receipts } = loggedBlock(
    1,
    Array.from({ length: 8 }, (_, i) => [
      { address: new Uint8Array(20), topics: [new Uint8Array(32)], data: new Uint8Array(i * 40) },
    ]),
  ).executed
  const bytes = encodeReceipts(receipts)
  for (let end = 0; end < bytes.length; end += 13) {
    expect(() => new PackedLogs(block.header, bytes.subarray(0, end))).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPTED' }),
    )
  }
})
