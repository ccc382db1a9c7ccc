import { describe, expect, test } from 'vitest'
import { KeyFilter } from '../../../host/table/key-filter.ts'

function keyOf(number: number, length: number): Uint8Array {
  const key = new Uint8Array(length)
  new DataView(key.buffer).setUint32(length - 4, number)
  return key
}

describe.each([4, 20, 32, 52])('a filter over counted keys of %i bytes', (length) => {
  const KEYS = 50_000

  function filled(maxKeys: number): KeyFilter {
    const filter = KeyFilter.forKeys(maxKeys, 7)
    for (let i = 0; i < KEYS; i++) filter.add(keyOf(i, length), 0, length)
    return filter
  }

  function falsePositives(filter: KeyFilter): number {
    let found = 0
    for (let i = KEYS; i < 3 * KEYS; i++) if (filter.mayHold(keyOf(i, length), 0, length)) found++
    return found / (2 * KEYS)
  }

  test.each([1, 1.5, 6, 100])('with room for %d times as many', (room) => {
    const folded = filled(KEYS * room).foldedFor(KEYS)
    for (let i = 0; i < KEYS; i++) expect(folded.mayHold(keyOf(i, length), 0, length)).toBe(true)
    expect(folded.words.length * 32).toBeLessThan(21 * KEYS)
    expect(folded.words.length * 32).toBeGreaterThanOrEqual(10 * KEYS)
    expect(falsePositives(folded)).toBeLessThan(0.015)
  })

  test('in the middle of other bytes', () => {
    const filter = KeyFilter.forKeys(1, 7)
    filter.add(keyOf(9, length), 0, length)
    const around = new Uint8Array(length + 3).fill(1)
    around.set(keyOf(9, length), 2)
    expect(filter.mayHold(around, 2, length + 2)).toBe(true)
    expect(filter.mayHold(around, 0, length)).toBe(false)
  })
})
