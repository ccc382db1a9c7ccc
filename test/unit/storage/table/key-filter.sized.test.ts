import { describe, expect, test } from 'vitest'
import { type KeyFilter, KeyFilterBuilder } from '../../../../host/storage/table/key-filter.ts'
import { bySet } from '../../../support/run/by-set.ts'

/** Returns a key of `length` bytes at offset 4 of a word array; the surrounding words are `around`. */
function keyOf(number: number, length: number, around: number): Uint32Array {
  const words = new Uint32Array(16).fill(around)
  const key = new Uint8Array(words.buffer, 4, length).fill(0)
  new DataView(key.buffer).setUint32(length, number)
  return words
}

describe.each([4, 7, 20, 32, 52])('a filter over counted keys of %i bytes', (length) => {
  const KEYS = bySet(10_000, 50_000)

  function filled(maxKeys: number): KeyFilter {
    const builder = new KeyFilterBuilder(maxKeys, 7)
    for (let i = 0; i < KEYS; i++) builder.add(keyOf(i, length, 0), 1, length)
    return builder.finish()
  }

  test.each([1, 1.5, 6, 100])(
    'has the expected false positive rate with room for %d times as many keys',
    (room) => {
      const filter = filled(KEYS * room)
      for (let i = 0; i < KEYS; i++) {
        expect(filter.mayHold(keyOf(i, length, 0xabcdef01), 1, length)).toBe(true)
      }
      expect(filter.words.length * 32).toBeLessThan(21 * KEYS)
      expect(filter.words.length * 32).toBeGreaterThanOrEqual(10 * KEYS)
      let found = 0
      for (let i = KEYS; i < 3 * KEYS; i++)
        if (filter.mayHold(keyOf(i, length, 0), 1, length)) found++
      expect(found / (2 * KEYS)).toBeLessThan(0.015)
    },
  )
})

test('a filter without keys contains none', () => {
  const filter = new KeyFilterBuilder(0, 1).finish()
  for (let i = 0; i < 1000; i++) expect(filter.mayHold(keyOf(i, 20, 0), 1, 20)).toBe(false)
})
