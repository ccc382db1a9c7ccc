import { expect, test } from 'vitest'
import { makeDice } from '../fuzz/dice.ts'
import { bySet } from '../support/run/by-set.ts'
import { generatedFlood } from './flood/flood.ts'
import { FLOOD_NAMES, MB, NOWHERE, ONE_OF_EACH, testFloods } from './flood/flood-tests.ts'

// With this seed, a simulation of 73 MB took the generator a minute.
test('a random flood has bodies of at most twice the accepted size', () => {
  const flood = generatedFlood(155_222_138, makeDice(155_222_138), NOWHERE)
  expect(flood.bodies.map(({ length }) => length < 12 * MB)).toEqual([true, true, true])
})

testFloods({ server: 'uws', threads: 0 }, bySet(ONE_OF_EACH, FLOOD_NAMES), bySet(1, 3))
// The servers differ only in how they parse bodies and buffer responses.
const OF_EACH_SERVER = FLOOD_NAMES.filter((name) => /bod|answers|WebSocket/.test(name))
if (bySet(false, true)) testFloods({ server: 'node', threads: 0 }, OF_EACH_SERVER, 2)
