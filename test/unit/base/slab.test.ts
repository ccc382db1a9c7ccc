import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slab } from '../../../host/base/slab.ts'
import { runSeed } from '../../support/random.ts'

const seed = runSeed()
const source = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) >> 3)

test(`a copy keeps its content while other arrays are copied; seed ${seed}`, () => {
  const range = fc.tuple(fc.nat(60_000), fc.oneof(fc.nat(70), fc.nat(10_000), fc.nat(40_000)))
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 200 }), (ranges) => {
      const slab = new Slab()
      const changing = source.slice()
      const copies = ranges.map(([start, length]) => slab.copy(changing, start, start + length))
      changing.fill(0)
      for (const [i, [start, length]] of ranges.entries()) {
        expect(
          Buffer.compare(copies[i] as Uint8Array, source.subarray(start, start + length)),
        ).toBe(0)
      }
    }),
    { seed, numRuns: 30 },
  )
})

test('short copies share an array of 64 KiB, and long copies have their own', () => {
  const slab = new Slab()
  const short = Array.from({ length: 100 }, () => slab.copy(source, 0, 300))
  expect(new Set(short.map(({ buffer }) => buffer)).size).toBe(1)
  expect(short[0]?.buffer.byteLength).toBe(64 * 1024)
  expect(slab.copy(source, 0, 9000).buffer.byteLength).toBe(9000)
})
