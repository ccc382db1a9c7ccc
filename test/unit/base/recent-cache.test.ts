import { expect, test } from 'vitest'
import { RecentCache } from '../../../host/base/recent-cache.ts'
import { makeRandom, runSeed } from '../../support/random.ts'

const seed = runSeed()

test('a full cache evicts the entries that were not used lately', () => {
  const cache = new RecentCache<number, string>(8)
  cache.set(0, 'used')
  for (let key = 1; key < 100; key++) {
    cache.set(key, 'other')
    expect(cache.get(0)).toBe('used')
  }
  expect([1, 50, 90].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined])
})

test('an entry heavier than half of the capacity is not cached and evicts only the entry of its own key', () => {
  const cache = new RecentCache<string, string>(10)
  cache.set('kept', 'light', 5)
  cache.set('heavy', 'one', 6)
  expect(cache.get('heavy')).toBeUndefined()
  expect(cache.get('kept')).toBe('light')
  cache.set('kept', 'heavy', 6)
  expect(cache.get('kept')).toBeUndefined()
})

test('a deleted or cleared entry is gone and frees its room', () => {
  const cache = new RecentCache<number, string>(4)
  expect(cache.isEmpty).toBe(true)
  for (const key of [1, 2, 3]) cache.set(key, 'value')
  cache.delete(1)
  cache.delete(3)
  expect([1, 2, 3].map((key) => cache.get(key))).toEqual([undefined, 'value', undefined])
  cache.set(4, 'value')
  expect(cache.get(2)).toBe('value')
  cache.clear()
  expect([cache.isEmpty, cache.get(2)]).toEqual([true, undefined])
})

test(`a cache returns the last value that was set and stays within its capacity (LOCKSTEP_SEED=${seed})`, () => {
  const random = makeRandom(seed)
  const CAPACITY = 64
  const cache = new RecentCache<number, object>(CAPACITY)
  const set = new Map<number, { readonly weight: number }>()
  /** Entries that were set or found, latest first. Includes entries dropped later, which took up room. */
  const uses: (readonly [key: number, weight: number])[] = []
  const use = (key: number, weight: number) => uses.unshift([key, weight])
  for (let step = 0; step < 5000; step++) {
    const key = Math.floor(random() * 40)
    const action = random()
    if (action < 0.4) {
      const value = { weight: 1 + Math.floor(random() * 8) }
      cache.set(key, value, value.weight)
      set.set(key, value)
      use(key, value.weight)
    } else if (action < 0.98) {
      const found = cache.get(key)
      if (found !== undefined) {
        expect(found).toBe(set.get(key))
        use(key, set.get(key)?.weight ?? 0)
      }
    } else {
      cache.drop((other) => other % 5 === key % 5)
      for (const other of set.keys()) if (other % 5 === key % 5) set.delete(other)
    }
    if (step % 50 !== 0) continue
    // Two generations guarantee at least the latest uses up to this weight. A lookup is a use as well.
    const heaviest = new Map<number, number>()
    let weight = 0
    for (const [recent, heavy] of [...uses]) {
      const counted = heaviest.get(recent)
      heaviest.set(recent, Math.max(heavy, counted ?? 0))
      weight += Math.max(heavy - (counted ?? 0), 0)
      if (weight > CAPACITY / 2 - 8) break
      if (counted !== undefined) continue
      const value = set.get(recent)
      expect(cache.get(recent)).toBe(value)
      if (value !== undefined) use(recent, value.weight)
    }
  }
})
