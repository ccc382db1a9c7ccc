import { FLOOD_NAMES, testFloods } from './flooded-node.ts'

testFloods('uws', FLOOD_NAMES, 6)
// Each server parses bodies and keeps answers in its own way; the rest is the same behind both.
testFloods(
  'node',
  FLOOD_NAMES.filter((name) => /bod|answers|WebSocket/.test(name)),
  6,
)
