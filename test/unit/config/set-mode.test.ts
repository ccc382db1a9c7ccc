import { expect, test } from 'vitest'
import { withMode } from '../../../host/config/set-mode.ts'

test.each([
  ['', 'mode = "full"\n\n'],
  ['mode = "validator" # signs\n', 'mode = "full"\n'],
  ['a = 1\n  "mode" = ""\n[x]\nmode = 2\n', 'a = 1\nmode = "full"\n[x]\nmode = 2\n'],
  ['[x]\nmode = "y"\n', 'mode = "full"\n\n[x]\nmode = "y"\n'],
  ['a = 1', 'a = 1\nmode = "full"\n\n'],
])('writes the mode above the sections of %j', (text, written) => {
  expect(withMode(text, 'full')).toBe(written)
  expect(withMode(written, 'full')).toBe(written)
})
