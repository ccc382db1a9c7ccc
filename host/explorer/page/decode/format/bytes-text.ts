import { strictUtf8 } from '../../../../base/utf8.ts'
import { quoteText } from './safe-text.ts'

/** Formats bytes as ASCII, with dots for other bytes, as in hex dumps. */
export function asciiText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'
  return text
}

/** Formats bytes as quoted UTF-8, safe to display; undefined if they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  const text = strictUtf8(bytes)
  return text === undefined ? undefined : quoteText(text)
}

/** Returns the text of a bytes32 constant: at least three ASCII characters, then zeros; undefined otherwise. */
export function wordText(word: Uint8Array): string | undefined {
  const end = word.findLastIndex((byte) => byte !== 0) + 1
  const text = asciiText(word.subarray(0, end))
  return end >= 3 && !text.includes('.') ? `"${text}"` : undefined
}
