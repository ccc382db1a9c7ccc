import { expect, test } from 'vitest'
import { nameProblem } from '../../../host/base/plain-name.ts'

test.each([
  ['NUL', 'a\0b', 'U+0000 at position 1'],
  ['a line break', 'a\nb', 'U+000A at position 1'],
  ['DEL', 'a\x7f', 'U+007F at position 1'],
  ['C1', '\x85', 'U+0085 at position 0'],
  ['a mark that turns text', 'pay \u202egnp.exe', 'U+202E at position 4'],
  ['an isolate', '\u2066x', 'U+2066 at position 0'],
  ['a mark of direction', 'x\u200f', 'U+200F at position 1'],
  ['a separator of lines', 'x\u2028y', 'U+2028 at position 1'],
  ['a byte order mark', '\ufeffx', 'U+FEFF at position 0'],
  ['a tag', 'x\u{e0041}', 'U+E0041 at position 1'],
  ['half of a pair', 'x\ud83d', 'U+D83D at position 1'],
])('a name with %s is refused, and the message states its code point', (_, name, found) => {
  expect(nameProblem(name)).toBe(
    `the character ${found} is invisible, or changes how others are shown: write the name without it`,
  )
})

test('names in any script, with emoji, are accepted', () => {
  for (const name of [
    'agent 7',
    'Zahlungen für Müller',
    'کتاب\u200cها',
    'محفظة',
    '財布',
    '👩\u200d💻 ops',
  ]) {
    expect(nameProblem(name)).toBeUndefined()
  }
})
