/** Decodes valid text. A leading byte order mark is part of the text. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes text known to be valid, faster than a strict decoder that throws. */
const CLEAN = new TextDecoder('utf-8', { ignoreBOM: true })

/** U+FFFD in UTF-8. */
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const

/** Returns the text of UTF-8, its byte order mark included, or undefined if a byte is invalid. */
export function strictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Returns the text of bytes from a contract as geth prints it: one U+FFFD for each invalid byte, and a leading
 * byte order mark stays. A `TextDecoder` gives one U+FFFD for a whole cut sequence, and drops the mark.
 */
export function goText(bytes: Uint8Array): string {
  return strictUtf8(bytes) ?? CLEAN.decode(replaceInvalid(bytes))
}

function replaceInvalid(bytes: Uint8Array): Uint8Array {
  const clean = new Uint8Array(REPLACEMENT.length * bytes.length)
  let end = 0
  for (let at = 0; at < bytes.length; ) {
    const length = runeLength(bytes, at)
    if (length === 0) {
      clean.set(REPLACEMENT, end)
      end += REPLACEMENT.length
      at++
      continue
    }
    for (let i = 0; i < length; i++) clean[end++] = bytes[at++] as number
  }
  return clean.subarray(0, end)
}

/**
 * Returns the length of the character that begins at `at`, or 0 if it is cut, overlong, a surrogate or beyond
 * U+10FFFF: table 3-7 of the Unicode standard.
 */
function runeLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  if (first < 0x80) return 1
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length === 0) return 0
  const second = bytes[at + 1] ?? 0
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < least || second > most) return 0
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}
