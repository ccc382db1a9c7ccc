import { expect, test } from 'vitest'
import { retainHeight } from '../../../../../host/chain/consensus/cometbft/retain-height.ts'

const none = (): undefined => undefined

test('the retain height is the first block that the node retains, if CometBFT has earlier blocks', () => {
  expect(retainHeight({ earliest: 700, base: 1, snapshot: none })).toBe(700)
  expect(retainHeight({ earliest: 700, base: 699, snapshot: none })).toBe(700)
})

test('there is no retain height if CometBFT has no earlier block, as after a state sync', () => {
  for (const base of [700, 701, 956]) {
    expect(retainHeight({ earliest: 700, base, snapshot: none })).toBe(0)
  }
})

test('there is no retain height before CometBFT reports its blocks, or if all blocks are retained', () => {
  expect(retainHeight({ earliest: 700, base: 0, snapshot: none })).toBe(0)
  expect(retainHeight({ earliest: 0, base: 1, snapshot: none })).toBe(0)
})

test('the retain height leaves the blocks that a node needs to start from the latest snapshot', () => {
  expect(retainHeight({ earliest: 700, base: 1, snapshot: () => 600 })).toBe(600)
  expect(retainHeight({ earliest: 700, base: 1, snapshot: () => 900 })).toBe(700)
  expect(retainHeight({ earliest: 700, base: 600, snapshot: () => 600 })).toBe(0)
})
