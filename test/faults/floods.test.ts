import { expect, test } from 'vitest'
import { makeDice } from '../fuzz/dice.ts'
import { generatedFlood } from '../support/flood/flood.ts'
import { NOWHERE, testFloods } from './flooded-node.ts'

const MB = 1024 * 1024

// By seed 155222138 a simulation of 73 MB was drawn, which took a minute to make: the test hung, not the node.
test('a flood of anything is drawn with bodies of at most twice what is taken', () => {
  const flood = generatedFlood(155_222_138, makeDice(155_222_138), NOWHERE)
  expect(flood.bodies.map(({ length }) => length < 12 * MB)).toEqual([true, true, true])
})

// One of each kind: a body, many answers, a slow reader, calls that take time, the consensus RPC.
testFloods(
  'uws',
  [
    'batches of txpool_content as notifications',
    'answers of megabytes that nobody reads',
    'calls that never end',
    'batches on the consensus RPC',
  ],
  1,
)
