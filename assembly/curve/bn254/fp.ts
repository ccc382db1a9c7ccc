/** The base field of BN254, around the generated arithmetic: encoding, zero test, inverse. */

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

/** A factor that takes a value out of Montgomery form. */
const UNIT: usize = memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0, 0])
const NUMBER: usize = memory.data(ELEMENT)

/** Reads 32 big-endian bytes. Returns false if they are not below the prime. */
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
  // Values are below twice the prime, so zero is 0 or the prime.
  const low = load<u32>(a)
  if (low != 0 && low != load<u32>(PRIME)) return false
  copy(NUMBER, a)
  reduceOnce(NUMBER, PRIME)
  return isZeroNumber(NUMBER)
}

/** out = 1 / a, for non-zero `a`. */
export function inverse(out: usize, a: usize): void {
  copy(NUMBER, a)
  reduceOnce(NUMBER, PRIME)
  invert(out, NUMBER, PRIME_INVERSE)
  multiply(out, out, CUBED_RADIX)
}
