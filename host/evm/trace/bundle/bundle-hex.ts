import { formatData, formatQuantity, type Hex, hexDigits } from '../../../base/hex.ts'
import { requireBits, requireCount, requireLength } from '../../../base/writable.ts'

// How a bundle has its values: each of them throws INVALID_ARGUMENT for one that `JsonMember` would refuse.

/** QUANTITY of an integer of at most `bits` bits. */
export function quantityOf(value: bigint, bits: number, what: string): Hex {
  requireBits(value, bits, what)
  return formatQuantity(value)
}

/** QUANTITY of a whole number. */
export function countOf(value: number, what: string): Hex {
  requireCount(value, what)
  return formatQuantity(value)
}

/** DATA of exactly `length` bytes. */
export function dataOf(bytes: Uint8Array, length: number, what: string): Hex {
  requireLength(bytes, length, what)
  return formatData(bytes)
}

/** Hex digits without 0x, of exactly `length` bytes. */
export function digitsOf(bytes: Uint8Array, length: number, what: string): string {
  requireLength(bytes, length, what)
  return hexDigits(bytes)
}
