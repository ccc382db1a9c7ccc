import { expect, test } from 'vitest'
import { retainHeight } from '../../../../host/consensus/cometbft/retain-height.ts'

const none = (): undefined => undefined

test('is the first block that the node keeps, once CometBFT has earlier ones', () => {
  expect(retainHeight({ earliest: 700, base: 1, snapshot: none })).toBe(700)
  expect(retainHeight({ earliest: 700, base: 699, snapshot: none })).toBe(700)
})

test('is none where CometBFT has no earlier block: after a state sync the node has 256 that it never had', () => {
  for (const base of [700, 701, 956]) {
    expect(retainHeight({ earliest: 700, base, snapshot: none })).toBe(0)
  }
})

test('is none before CometBFT has said what it has, and where all blocks are kept', () => {
  expect(retainHeight({ earliest: 700, base: 0, snapshot: none })).toBe(0)
  expect(retainHeight({ earliest: 0, base: 1, snapshot: none })).toBe(0)
})

test('keeps the blocks that whoever begins with the newest snapshot needs', () => {
  expect(retainHeight({ earliest: 700, base: 1, snapshot: () => 600 })).toBe(600)
  expect(retainHeight({ earliest: 700, base: 1, snapshot: () => 900 })).toBe(700)
  expect(retainHeight({ earliest: 700, base: 600, snapshot: () => 600 })).toBe(0)
})
