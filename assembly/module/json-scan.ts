/** JSON by RFC 8259, scanned in place without building a tree. A place is the address of a byte. */

const QUOTE: u8 = 0x22
const BACKSLASH: u8 = 0x5c
const COMMA: u8 = 0x2c
const COLON: u8 = 0x3a
export const OPEN_OBJECT: u8 = 0x7b
const CLOSE_OBJECT: u8 = 0x7d
export const OPEN_ARRAY: u8 = 0x5b
const CLOSE_ARRAY: u8 = 0x5d

/** Deepest nesting of arrays and objects. */
const MAX_DEPTH: i32 = 512
/** For each open list 1 if it is an object. */
const OPEN: usize = memory.data(512)

/** Address of the next byte, and the end of the document. */
export let at: usize = 0
let end: usize = 0

export function beginScan(bytes: usize, size: usize): void {
  at = bytes
  end = bytes + size
}

/** Returns the next byte; 0 at the end. */
export function peek(): u8 {
  return at < end ? load<u8>(at) : 0
}

export function skipSpace(): void {
  while (at < end) {
    const byte = load<u8>(at)
    if (byte != 0x20 && byte != 0x09 && byte != 0x0a && byte != 0x0d) return
    at++
  }
}

/** Skips white space, then the given byte. Returns false if another byte follows. */
export function take(byte: u8): bool {
  skipSpace()
  if (peek() != byte) return false
  at++
  return true
}

/** Returns true if only white space is left. */
export function isAtEnd(): bool {
  skipSpace()
  return at == end
}

/** Returns the value of a hex digit, or -1. */
function hexValue(byte: u8): i32 {
  if (byte >= 0x30 && byte <= 0x39) return i32(byte) - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? i32(lower) - 0x57 : -1
}

function isEscape(byte: u8): bool {
  return (
    byte == QUOTE ||
    byte == BACKSLASH ||
    byte == 0x2f ||
    byte == 0x62 ||
    byte == 0x66 ||
    byte == 0x6e ||
    byte == 0x72 ||
    byte == 0x74
  )
}

/** Skips a string with its quotes. */
export function skipString(): bool {
  if (!take(QUOTE)) return false
  while (at < end) {
    const byte = load<u8>(at)
    at++
    if (byte == QUOTE) return true
    if (byte < 0x20) return false
    if (byte != BACKSLASH) continue
    const escaped = peek()
    at++
    if (isEscape(escaped)) continue
    if (escaped != 0x75 || at + 4 > end) return false
    for (let i = 0; i < 4; i++) {
      if (hexValue(load<u8>(at)) < 0) return false
      at++
    }
  }
  return false
}

function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39
}

function skipDigits(): bool {
  if (!isDigit(peek())) return false
  while (isDigit(peek())) at++
  return true
}

function skipNumber(): bool {
  if (peek() == 0x2d) at++
  if (peek() == 0x30) at++
  else if (!skipDigits()) return false
  if (peek() == 0x2e) {
    at++
    if (!skipDigits()) return false
  }
  if ((peek() | 0x20) == 0x65) {
    at++
    if (peek() == 0x2b || peek() == 0x2d) at++
    if (!skipDigits()) return false
  }
  return true
}

function skipWord(text: string): bool {
  const units = changetype<usize>(text)
  for (let i: usize = 0; i < usize(text.length); i++) {
    if (u16(peek()) != load<u16>(units + (i << 1))) return false
    at++
  }
  return true
}

function skipScalar(): bool {
  switch (peek()) {
    case QUOTE:
      return skipString()
    case 0x74:
      return skipWord('true')
    case 0x66:
      return skipWord('false')
    case 0x6e:
      return skipWord('null')
    default:
      return skipNumber()
  }
}

/** Skips the name of a member and its colon. */
function skipName(): bool {
  return skipString() && take(COLON)
}

/** Skips a value of any kind. Returns false if there is none. */
export function skipValue(): bool {
  let depth = 0
  while (true) {
    skipSpace()
    const first = peek()
    if (first == OPEN_OBJECT || first == OPEN_ARRAY) {
      at++
      skipSpace()
      if (peek() == (first == OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        at++
      } else {
        if (depth == MAX_DEPTH) return false
        store<u8>(OPEN + usize(depth), first == OPEN_OBJECT ? 1 : 0)
        depth++
        if (first == OPEN_OBJECT && !skipName()) return false
        continue
      }
    } else if (!skipScalar()) {
      return false
    }
    // The value has ended, and may end the lists around it
    while (true) {
      if (depth == 0) return true
      const isObject = load<u8>(OPEN + usize(depth - 1)) == 1
      if (take(COMMA)) {
        if (isObject && !skipName()) return false
        break
      }
      if (!take(isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return false
      depth--
    }
  }
}

/**
 * After a member or element: skips a comma and returns true if another one follows. `closed` is the closing byte of
 * the list.
 */
export let isListBroken: bool = false

export function hasNext(isObject: bool): bool {
  if (take(COMMA)) return true
  isListBroken = !take(isObject ? CLOSE_OBJECT : CLOSE_ARRAY)
  return false
}

/** Begins an object or array. Returns true if it has a first member or element. */
export function enterList(isObject: bool): bool {
  isListBroken = !take(isObject ? OPEN_OBJECT : OPEN_ARRAY)
  if (isListBroken) return false
  skipSpace()
  if (peek() != (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return true
  at++
  return false
}

/** Skips the name of a member. Its string, including quotes, runs from `nameAt` to `nameEnd`. */
export let nameAt: usize = 0
export let nameEnd: usize = 0

export function skipMemberName(): bool {
  skipSpace()
  nameAt = at
  if (!skipString()) return false
  nameEnd = at
  return take(COLON)
}

const UTF8: usize = memory.data(8)

function codeUnit(from: usize): u32 {
  let unit: u32 = 0
  for (let i: usize = 0; i < 4; i++) unit = (unit << 4) | u32(hexValue(load<u8>(from + i)))
  return unit
}

/** Writes a code point to UTF8 and returns the number of bytes. */
function encode(point: u32): usize {
  if (point < 0x80) {
    store<u8>(UTF8, u8(point))
    return 1
  }
  if (point < 0x800) {
    store<u8>(UTF8, u8(0xc0 | (point >> 6)))
    store<u8>(UTF8, u8(0x80 | (point & 0x3f)), 1)
    return 2
  }
  if (point < 0x10000) {
    store<u8>(UTF8, u8(0xe0 | (point >> 12)))
    store<u8>(UTF8, u8(0x80 | ((point >> 6) & 0x3f)), 1)
    store<u8>(UTF8, u8(0x80 | (point & 0x3f)), 2)
    return 3
  }
  store<u8>(UTF8, u8(0xf0 | (point >> 18)))
  store<u8>(UTF8, u8(0x80 | ((point >> 12) & 0x3f)), 1)
  store<u8>(UTF8, u8(0x80 | ((point >> 6) & 0x3f)), 2)
  store<u8>(UTF8, u8(0x80 | (point & 0x3f)), 3)
  return 4
}

function unescaped(byte: u8): u32 {
  switch (byte) {
    case 0x62:
      return 0x08
    case 0x66:
      return 0x0c
    case 0x6e:
      return 0x0a
    case 0x72:
      return 0x0d
    case 0x74:
      return 0x09
    default:
      return byte
  }
}

/** Returns true if the skipped name, without its escapes, is the `size` bytes at `text`. */
export function isNamed(text: usize, size: usize): bool {
  let from = nameAt + 1
  const last = nameEnd - 1
  let to: usize = 0
  while (from < last) {
    const byte = load<u8>(from)
    from++
    if (byte != BACKSLASH) {
      if (to >= size || load<u8>(text + to) != byte) return false
      to++
      continue
    }
    const escaped = load<u8>(from)
    from++
    let point = unescaped(escaped)
    if (escaped == 0x75) {
      point = codeUnit(from)
      from += 4
      if (point >= 0xd800 && point < 0xe000) {
        const isPair =
          point < 0xdc00 &&
          from + 6 <= last &&
          load<u8>(from) == BACKSLASH &&
          load<u8>(from, 1) == 0x75
        const low: u32 = isPair ? codeUnit(from + 2) : 0
        if (low >= 0xdc00 && low < 0xe000) {
          point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00)
          from += 6
        } else {
          // An unpaired surrogate is not a character
          point = 0xfffd
        }
      }
    }
    const bytes = encode(point)
    if (to + bytes > size || memory.compare(UTF8, text + to, bytes) != 0) return false
    to += bytes
  }
  return to == size
}
