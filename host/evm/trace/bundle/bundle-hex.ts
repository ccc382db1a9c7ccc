import { formatData, formatQuantity, type Hex, hexDigits } from '../../../base/hex.ts'
import { requireBits, requireCount, requireLength } from '../../../base/writable.ts'

// Encoders for the values of a bundle. Each throws INVALID_ARGUMENT for a value that `JsonMember` would reject.

/** Returns the QUANTITY of an integer of at most `bits` bits. */
export function quantityOf(value: bigint, bits: number, what: string): Hex {
  requireBits(value, bits, what)
  return formatQuantity(value)
}

/** Returns the QUANTITY of a non-negative safe integer. */
export function countOf(value: number, what: string): Hex {
  requireCount(value, what)
  return formatQuantity(value)
}

/** Returns the DATA of exactly `length` bytes. */
export function dataOf(bytes: Uint8Array, length: number, what: string): Hex {
  requireLength(bytes, length, what)
  return formatData(bytes)
}

/** Returns exactly `length` bytes as hex digits without 0x. */
export function digitsOf(bytes: Uint8Array, length: number, what: string): string {
  requireLength(bytes, length, what)
  return hexDigits(bytes)
}
