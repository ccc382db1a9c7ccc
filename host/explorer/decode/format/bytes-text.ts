import { quoteText } from './safe-text.ts'

/** Bytes as characters of ASCII, a dot for each that is none that can be seen: as hex dumps have it. */
export function asciiText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'
  return text
}

/** Text of UTF-8; undefined for bytes that are none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes as UTF-8 in quotes, safe to show; undefined where they are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  const text = decodeUtf8(bytes)
  return text === undefined ? undefined : quoteText(text)
}

/** Text that a word may be, as bytes32 constants hold it: ASCII up to zeros at the end, of three characters at least. */
export function wordText(word: Uint8Array): string | undefined {
  const end = word.findLastIndex((byte) => byte !== 0) + 1
  const text = asciiText(word.subarray(0, end))
  return end >= 3 && !text.includes('.') ? `"${text}"` : undefined
}
