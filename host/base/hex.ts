import { LockstepError } from './error.ts'
import { DIGIT_VALUES, NO_DIGIT } from './hex-digit.ts'

/** 0x-prefixed hex. */
export type Hex = `0x${string}`

const BYTE_TO_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** ASCII codes of the two digits of a byte. The first is in the low half, because memory is little-endian. */
const BYTE_TO_CODES: Uint16Array = Uint16Array.from(
  BYTE_TO_HEX,
  (digits) => digits.charCodeAt(0) | (digits.charCodeAt(1) << 8),
)

/** From this length on the string is built in one call: appending digit pairs allocates 32 bytes per step. */
const LONG = 256

const decoder = new TextDecoder()

/** Returns the hex digits without prefix. */
export function hexDigits(bytes: Uint8Array): string {
  if (bytes.length >= LONG) {
    const codes = new Uint16Array(bytes.length)
    for (let i = 0; i < bytes.length; i++) codes[i] = BYTE_TO_CODES[bytes[i] as number] as number
    return decoder.decode(codes)
  }
  let text = ''
  for (const byte of bytes) text += BYTE_TO_HEX[byte]
  return text
}

/** Formats DATA of the JSON-RPC specification: 0x and two digits per byte. */
export function formatData(bytes: Uint8Array): Hex {
  return `0x${hexDigits(bytes)}`
}

/** Formats QUANTITY of the JSON-RPC specification: 0x, no leading zeros, 0x0 for zero. */
export function formatQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

/** Formats the big-endian unsigned integer from `start` to `end` as QUANTITY, without a bigint. */
export function formatQuantityAt(bytes: Uint8Array, start: number, end: number): Hex {
  let at = start
  while (at < end && bytes[at] === 0) at++
  if (at === end) return '0x0'
  let text: Hex = `0x${(bytes[at] as number).toString(16)}`
  for (at++; at < end; at++) text += BYTE_TO_HEX[bytes[at] as number]
  return text
}

function digitAt(text: string, at: number): number {
  return DIGIT_VALUES[text.charCodeAt(at)] ?? NO_DIGIT
}

/**
 * Returns the bytes of a DATA value.
 * @throws INVALID_HEX if the prefix is missing, the length is odd, or a digit is not hex.
 */
export function parseData(text: string): Uint8Array {
  if (!text.startsWith('0x') && !text.startsWith('0X')) {
    throw new LockstepError('INVALID_HEX', 'hex string without 0x prefix')
  }
  if (text.length % 2 !== 0) throw new LockstepError('INVALID_HEX', 'hex string of odd length')
  const bytes = new Uint8Array(text.length / 2 - 1)
  for (let i = 0; i < bytes.length; i++) {
    const high = digitAt(text, 2 + 2 * i)
    const low = digitAt(text, 3 + 2 * i)
    if (high === NO_DIGIT || low === NO_DIGIT) {
      throw new LockstepError('INVALID_HEX', 'invalid hex string')
    }
    bytes[i] = high * 16 + low
  }
  return bytes
}

/** Returns the bytes of a DATA value of exactly `length` bytes. */
export function parseFixedData(text: string, length: number): Uint8Array {
  const bytes = parseData(text)
  if (bytes.length !== length) {
    throw new LockstepError(
      'INVALID_HEX',
      `hex string has length ${bytes.length * 2}, want ${length * 2} for ${length} bytes`,
    )
  }
  return bytes
}

/** Message of the error for a quantity with leading zeros. */
export const LEADING_ZEROS = 'hex number with leading zero digits'

/**
 * Returns the value of a QUANTITY of at most `bits` bits, a multiple of 4. Messages are geth's.
 * @throws INVALID_HEX on an empty value, leading zeros, a missing prefix or more bits.
 */
export function parseQuantity(text: string, bits = 256): bigint {
  if (!text.startsWith('0x') && !text.startsWith('0X')) {
    throw new LockstepError('INVALID_HEX', 'hex string without 0x prefix')
  }
  const digits = text.slice(2)
  if (digits.length === 0) throw new LockstepError('INVALID_HEX', 'hex string "0x"')
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw new LockstepError('INVALID_HEX', 'invalid hex string')
  if (digits.length > 1 && digits[0] === '0') {
    throw new LockstepError('INVALID_HEX', LEADING_ZEROS)
  }
  if (digits.length * 4 > bits) throw new LockstepError('INVALID_HEX', `hex number > ${bits} bits`)
  return BigInt(`0x${digits}`)
}
