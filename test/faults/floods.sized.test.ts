import { expect, test } from 'vitest'
import { makeDice } from '../fuzz/dice.ts'
import { bySet } from '../support/run/by-set.ts'
import { generatedFlood } from './flood/flood.ts'
import { FLOOD_NAMES, MB, NOWHERE, ONE_OF_EACH, testFloods } from './flood/flood-tests.ts'

// By seed 155222138 a simulation of 73 MB was drawn, which took a minute to make: the test hung, not the node.
test('a random flood has bodies of at most twice the accepted size', () => {
  const flood = generatedFlood(155_222_138, makeDice(155_222_138), NOWHERE)
  expect(flood.bodies.map(({ length }) => length < 12 * MB)).toEqual([true, true, true])
})

testFloods({ server: 'uws', threads: 0 }, bySet(ONE_OF_EACH, FLOOD_NAMES), bySet(1, 3))
// Each server parses bodies and keeps answers in its own way; the rest is the same behind both.
const OF_EACH_SERVER = FLOOD_NAMES.filter((name) => /bod|answers|WebSocket/.test(name))
if (bySet(false, true)) testFloods({ server: 'node', threads: 0 }, OF_EACH_SERVER, 2)
