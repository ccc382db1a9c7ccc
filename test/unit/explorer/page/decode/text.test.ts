import { expect, test } from 'vitest'
import { signedWei } from '../../../../../host/explorer/page/decode/format/amount.ts'
import { middleCut, shortWord } from '../../../../../host/explorer/page/decode/format/middle-cut.ts'
import { timeText } from '../../../../../host/explorer/page/decode/format/time-text.ts'

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abcd…g'],
  ['abcdefghij', 7, 'abcd…ij'],
  ['abcdef', 2, 'a…'],
  // Surrogate pairs stay whole.
  ['a😀😀😀😀b', 6, 'a😀…b'],
  ['😀😀😀😀', 7, '😀😀…😀'],
  ['😀😀😀😀', 6, '😀😀…'],
])('%s shortened to %i characters is %s', (text, most, expected) => {
  expect(middleCut(text, most)).toBe(expected)
})

test('a word is shown without leading zeros', () => {
  expect(shortWord(`0x${'0'.repeat(62)}2a`)).toBe('0x2a')
  expect(shortWord(`0x${'0'.repeat(64)}`)).toBe('0x0')
  expect(shortWord(`0x${'ab'.repeat(32)}`)).toHaveLength(44)
})

test('a difference is shown with its sign', () => {
  expect(signedWei(-(10n ** 18n))).toBe('−1 ether')
  expect(signedWei(5n)).toBe('+5 wei')
})

test('a time is shown in UTC, for any number that a header may have', () => {
  expect(timeText(1_700_000_000n)).toBe('2023-11-14 22:13:20 UTC')
  expect(timeText(2n ** 64n)).toBe('18446744073709551616 s after 1970')
})
