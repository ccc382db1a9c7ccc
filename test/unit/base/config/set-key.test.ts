import { expect, test } from 'vitest'
import { withKey } from '../../../../host/base/config/set-key.ts'

test.each([
  ['', 'mode = "full"\n\n'],
  ['mode = "validator" # signs\n', 'mode = "full"\n'],
  ['a = 1\n  "mode" = ""\n[x]\nmode = 2\n', 'a = 1\nmode = "full"\n[x]\nmode = 2\n'],
  ['[x]\nmode = "y"\n', 'mode = "full"\n\n[x]\nmode = "y"\n'],
  ['a = 1', 'a = 1\nmode = "full"\n\n'],
])('a key without a section is written above the sections of %j', (text, written) => {
  expect(withKey(text, '', 'mode', 'full')).toBe(written)
  expect(withKey(written, '', 'mode', 'full')).toBe(written)
})

test.each([
  ['', '\n[state-store]\n\nevm-ss-split = true\n'],
  ['a = 1', 'a = 1\n\n[state-store]\n\nevm-ss-split = true\n'],
  [
    'evm-ss-split = 1\n[ state_store ] # here\n# kept\nevm_ss_split = false\n[x]\n',
    'evm-ss-split = 1\n[ state_store ] # here\n# kept\nevm-ss-split = true\n[x]\n',
  ],
  [
    '[state-store]\nss-enable = true\n\n[x]\nevm-ss-split = 3\n',
    '[state-store]\nss-enable = true\nevm-ss-split = true\n\n[x]\nevm-ss-split = 3\n',
  ],
  [
    '[state-store]\nss-enable = true\n[[payments.resource]]\nevm-ss-split = 3\n',
    '[state-store]\nss-enable = true\nevm-ss-split = true\n\n[[payments.resource]]\nevm-ss-split = 3\n',
  ],
  ['[state-store]', '[state-store]\nevm-ss-split = true\n\n'],
])('a key is written into its section in %j', (text, written) => {
  expect(withKey(text, 'state-store', 'evm-ss-split', true)).toBe(written)
  expect(withKey(written, 'state-store', 'evm-ss-split', true)).toBe(written)
})
