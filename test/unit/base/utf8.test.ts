import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseData } from '../../../host/base/hex.ts'
import { goText, strictUtf8 } from '../../../host/base/utf8.ts'

const BAD = '\ufffd'

/** Decodes as Go's `range` over a string: the character that begins here, or U+FFFD and one byte further. */
function oneByOne(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((n) => strictUtf8(bytes.subarray(at, at + n)) !== undefined)
    text += length === undefined ? BAD : strictUtf8(bytes.subarray(at, at + length))
    at += length ?? 1
  }
  return text
}

/** Bytes that often form valid or nearly valid characters. */
const nearText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }).map((text) => new TextEncoder().encode(text)),
      fc.uint8Array({ maxLength: 4 }),
      fc
        .constantFrom(...['efbbbf', 'e282', 'f09f98', 'eda080', 'c080', 'f4908080', 'f8'])
        .map((hex) => parseData(`0x${hex}`)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])))

describe('text from bytes, as geth prints it,', () => {
  test.each([
    ['efbbbf6869', '\ufeffhi', 'a leading byte order mark stays'],
    ['efbbbf', '\ufeff', 'a byte order mark alone stays'],
    ['41e282', `A${BAD}${BAD}`, 'a character cut after two of three bytes'],
    ['41f09f98', `A${BAD}${BAD}${BAD}`, 'a character cut after three of four bytes'],
    ['eda080', BAD.repeat(3), 'a surrogate'],
    ['c080', BAD.repeat(2), 'an overlong form'],
    ['f4908080', BAD.repeat(4), 'a character beyond U+10FFFF'],
    ['e28261', `${BAD}${BAD}a`, 'a cut character before a letter'],
    ['f09f9880', '\u{1f600}', 'a character of four bytes'],
  ])('%s is %j: %s', (hex, text) => expect(goText(parseData(`0x${hex}`))).toBe(text))

  test('has one U+FFFD for each byte that starts no character', () => {
    fc.assert(fc.property(nearText, (bytes) => goText(bytes) === oneByOne(bytes)))
  })

  test('leaves valid UTF-8 unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(goText(new TextEncoder().encode(text))).toBe(text)
      }),
    )
  })
})
