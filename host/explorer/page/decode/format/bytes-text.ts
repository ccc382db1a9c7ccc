import { strictUtf8 } from '../../../../base/utf8.ts'
import { quoteText } from './safe-text.ts'

/** Bytes as characters of ASCII, a dot for each that is none that can be seen: as hex dumps have it. */
export function asciiText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'
  return text
}

/** Bytes as UTF-8 in quotes, safe to show; undefined where they are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  const text = strictUtf8(bytes)
  return text === undefined ? undefined : quoteText(text)
}

/** Text that a word may be, as bytes32 constants hold it: ASCII up to zeros at the end, of three characters at least. */
export function wordText(word: Uint8Array): string | undefined {
  const end = word.findLastIndex((byte) => byte !== 0) + 1
  const text = asciiText(word.subarray(0, end))
  return end >= 3 && !text.includes('.') ? `"${text}"` : undefined
}
