import { describe, expect, test } from 'vitest'
import {
  keyName,
  SHORTCUTS,
  shortcutOf,
} from '../../../../../host/explorer/page/keyboard/shortcuts.ts'

const pressed = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  defaultPrevented: false,
  ...more,
})

describe('the table of shortcuts', () => {
  test('contains each key once', () => {
    const keys = SHORTCUTS.flatMap((shortcut) => shortcut.keys)
    expect(keys).toEqual([...new Set(keys)])
  })

  test('describes each key differently', () => {
    const said = SHORTCUTS.map(({ does }) => does)
    expect(said).toEqual([...new Set(said)])
    for (const words of said) expect(words).toMatch(/^[A-Z].{5,}[^.]$/)
  })

  test.each(['n', 'N', 'o', 'u', '/', '?', '1', '6'])('maps %s', (key) => {
    expect(shortcutOf(SHORTCUTS, pressed(key))).toBeDefined()
  })

  test.each([
    ['ctrlKey', true],
    ['metaKey', true],
    ['altKey', true],
    ['defaultPrevented', true],
  ])('ignores a key with %s', (name, value) => {
    expect(shortcutOf(SHORTCUTS, pressed('n', { [name]: value }))).toBeUndefined()
  })

  test('names keys as they are labelled on a keyboard', () => {
    expect([keyName(' '), keyName('ArrowUp'), keyName('n')]).toEqual(['Space', '↑', 'n'])
  })
})
