import { expect, test } from 'vitest'
import { firstWithEvm, wholeFrom } from '../../../../../host/storage/store/state/evm-gap.ts'

test.each([
  // [earliest, gap, first height with EVM data, height from which every height has it]
  [3, undefined, 3, 3],
  [0, { from: 0, end: 9 }, 9, 9],
  [0, { from: 4, end: 9 }, 0, 9],
  [4, { from: 4, end: 9 }, 9, 9],
  [6, { from: 4, end: 9 }, 9, 9],
  [9, { from: 4, end: 9 }, 9, 9],
  [12, { from: 4, end: 9 }, 12, 12],
  [2, { from: 4, end: undefined }, 2, 21],
  [5, { from: 4, end: undefined }, 21, 21],
])(
  'with heights from %i on and no EVM data in %j, %i is the first with EVM data, and from %i on every height has it',
  (earliest, gap, first, whole) => {
    const heights = { earliest, latest: 20 }
    expect(firstWithEvm(heights, gap)).toBe(first)
    expect(wholeFrom(heights, gap)).toBe(whole)
  },
)
