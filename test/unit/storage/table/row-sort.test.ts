import { expect, test } from 'vitest'
import { compareBytes } from '../../../../host/base/bytes.ts'
import { sortPacked } from '../../../../host/storage/table/row-sort.ts'
import { makeRandom } from '../../../support/random.ts'
import { seed } from './version-model.ts'

test(`consecutive rows are sorted by all their bytes (LOCKSTEP_SEED=${seed})`, () => {
  const random = makeRandom(seed)
  for (const [count, width, limit] of [
    [0, 8, 256],
    [1, 8, 256],
    [23, 3, 2],
    [1000, 1, 256],
    [3000, 10, 2],
    [20_000, 34, 256],
  ] as const) {
    const bytes = Uint8Array.from({ length: count * width }, () => Math.floor(random() * limit))
    // Many share a prefix, as slots of one contract and padded addresses do
    for (let row = 0; row < count; row += 2) bytes.fill(7, row * width, row * width + (width >> 1))
    const rowAt = (row: number) => bytes.subarray(row * width, (row + 1) * width)
    const order = sortPacked(bytes, width)
    expect(Array.from(order).sort((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, i) => i),
    )
    const described = Array.from({ length: count }, (_, row) => rowAt(row)).sort(compareBytes)
    const isSame = described.every((row, i) => compareBytes(row, rowAt(order[i] as number)) === 0)
    expect(isSame).toBe(true)
  }
})
