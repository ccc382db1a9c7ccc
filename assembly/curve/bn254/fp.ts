/** The base field of BN254, around the generated arithmetic: bytes, zero, inverse. */

import { CUBED_RADIX, multiply, PRIME, PRIME_INVERSE, SQUARED_RADIX } from '../generated/bn254-fp'
import { invert } from '../inverse'
import {
  copy,
  ELEMENT,
  fromBytes,
  isLess,
  isZero as isZeroNumber,
  reduceOnce,
  toBytes,
} from '../limbs'

/** Multiplying by it takes a value out of Montgomery form. */
const UNIT: usize = memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0, 0])
const NUMBER: usize = memory.data(ELEMENT)

/** Reads 32 big-endian bytes; false when they are not below the prime. */
export function decode(out: usize, bytes: usize): bool {
  fromBytes(out, bytes)
  if (!isLess(out, PRIME)) return false
  multiply(out, out, SQUARED_RADIX)
  return true
}

/** Writes 32 big-endian bytes. */
export function encode(bytes: usize, a: usize): void {
  multiply(NUMBER, a, UNIT)
  reduceOnce(NUMBER, PRIME)
  toBytes(bytes, NUMBER)
}

export function isZero(a: usize): bool {
  // Below twice the prime, zero is 0 or the prime.
  const low = load<u32>(a)
  if (low != 0 && low != load<u32>(PRIME)) return false
  copy(NUMBER, a)
  reduceOnce(NUMBER, PRIME)
  return isZeroNumber(NUMBER)
}

/** out = 1 / a; `a` is not zero. */
export function inverse(out: usize, a: usize): void {
  copy(NUMBER, a)
  reduceOnce(NUMBER, PRIME)
  invert(out, NUMBER, PRIME_INVERSE)
  multiply(out, out, CUBED_RADIX)
}
