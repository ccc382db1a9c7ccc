import { DIGIT_VALUES } from './hex-digit.ts'

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0)

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return compareBytes(a, b) === 0
}

/** Compares in lexicographic order: memcmp, then length. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Returns true if all bytes from `start` to `end` are zero. */
export function isZero(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0) return false
  return true
}

/** Characters per call of `String.fromCharCode`: its arguments go on the stack, and every engine accepts this many. */
const KEY_CHUNK = 1024

/** Returns a string that identifies the bytes, one character per byte, for Map and Set keys. */
export function bytesKey(bytes: Uint8Array): string {
  // One call: a string built piecewise is a rope, which the first lookup has to flatten.
  if (bytes.length <= KEY_CHUNK) return characters(bytes)
  let key = ''
  for (let at = 0; at < bytes.length; at += KEY_CHUNK) {
    key += characters(bytes.subarray(at, at + KEY_CHUNK))
  }
  return key
}

function characters(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

/** Returns `value` as a big-endian unsigned integer of `length` bytes. The value must fit. */
export function bigintToBytes(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  // Goes through hex digits: each shift of a bigint would allocate.
  const digits = value.toString(16)
  let byte = length - 1
  let at = digits.length - 1
  for (; at > 0 && byte >= 0; at -= 2) {
    const low = DIGIT_VALUES[digits.charCodeAt(at)] as number
    const high = DIGIT_VALUES[digits.charCodeAt(at - 1)] as number
    bytes[byte--] = high * 16 + low
  }
  if (at === 0 && byte >= 0) bytes[byte] = DIGIT_VALUES[digits.charCodeAt(0)] as number
  return bytes
}

/** Returns the value of a big-endian unsigned integer of any length, read from `start` to `end`. */
export function bytesToBigint(bytes: Uint8Array, start = 0, end = bytes.length): bigint {
  let at = start + ((end - start) % 8)
  let head = 0
  // Six bytes fit a number exactly; the seventh does not.
  for (let i = start; i < Math.min(at, start + 6); i++) head = head * 256 + (bytes[i] as number)
  let value = BigInt(head)
  if (at === start + 7) value = (value << 8n) | BigInt(bytes[start + 6] as number)
  if (at === end) return value
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (; at < end; at += 8) {
    const limb = view.getBigUint64(at)
    value = value === 0n ? limb : (value << 64n) | limb
  }
  return value
}
