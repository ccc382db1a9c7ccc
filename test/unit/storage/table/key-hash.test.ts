import { expect, test } from 'vitest'
import { hashKey, randomSeed } from '../../../../host/storage/table/key-hash.ts'

/** Linux, lib/siphash_kunit.c: entry `i` is HalfSipHash-1-3 of the bytes 0 to `i - 1`. */
const PUBLISHED = [
  0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6,
  0x577999b1,
]
const SEED = { low: 0x03020100, high: 0x07060504 }

test('the key hash is HalfSipHash-1-3, at any offset', () => {
  for (const [length, hash] of PUBLISHED.entries()) {
    for (let start = 0; start < 4; start++) {
      const bytes = new Uint8Array(start + length + 2).fill(0xee)
      for (let i = 0; i < length; i++) bytes[start + i] = i
      expect(hashKey(SEED, new DataView(bytes.buffer), start, length)).toBe(hash | 0)
    }
  }
})

test('the key hash differs between tables', () => {
  const view = new DataView(new ArrayBuffer(20))
  const hashes = new Set(Array.from({ length: 8 }, () => hashKey(randomSeed(), view, 0, 20)))
  expect(hashes.size).toBeGreaterThan(6)
})
