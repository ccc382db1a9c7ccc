/**
 * Fp2 = Fp[i] / (i^2 + 1), around the generated arithmetic: parts, comparison, inverse. An element interleaves the
 * limbs of its real and its imaginary part (see generated/bn254-fp2.ts).
 */

import { add, multiply, negate, square } from '../generated/bn254-fp'
import { subtract as subtractPairs } from '../generated/bn254-fp2'
import { ELEMENT, LIMBS } from '../limbs'
import { inverse as inverseFp, isZero as isZeroFp } from './fp'

/** Bytes of an element. */
export const FP2: i32 = 80

const RE: usize = memory.data(ELEMENT)
const IM: usize = memory.data(ELEMENT)
const NORM: usize = memory.data(ELEMENT)
const SQUARE: usize = memory.data(ELEMENT)
const DIFFERENCE: usize = memory.data(FP2, 16)

@inline
export function copy(out: usize, a: usize): void {
  v128.store(out, v128.load(a))
  v128.store(out, v128.load(a, 16), 16)
  v128.store(out, v128.load(a, 32), 32)
  v128.store(out, v128.load(a, 48), 48)
  v128.store(out, v128.load(a, 64), 64)
}

/** out = re + im * i */
export function join(out: usize, re: usize, im: usize): void {
  for (let i: usize = 0; i < usize(LIMBS); i++) {
    store<u32>(out + 8 * i, load<u32>(re + 4 * i))
    store<u32>(out + 8 * i, load<u32>(im + 4 * i), 4)
  }
  store<u64>(out, 0, 72)
}

function split(re: usize, im: usize, a: usize): void {
  for (let i: usize = 0; i < usize(LIMBS); i++) {
    store<u32>(re + 4 * i, load<u32>(a + 8 * i))
    store<u32>(im + 4 * i, load<u32>(a + 8 * i, 4))
  }
}

export function isZero(a: usize): bool {
  split(RE, IM, a)
  return isZeroFp(RE) && isZeroFp(IM)
}

/** Returns true if two tight elements are equal modulo the prime. */
export function isEqual(a: usize, b: usize): bool {
  subtractPairs(DIFFERENCE, a, b)
  return isZero(DIFFERENCE)
}

/** out = 1 / a = (re - im * i) / (re^2 + im^2), for non-zero `a`. */
export function inverse(out: usize, a: usize): void {
  split(RE, IM, a)
  square(NORM, RE)
  square(SQUARE, IM)
  add(NORM, NORM, SQUARE)
  inverseFp(NORM, NORM)
  multiply(RE, RE, NORM)
  multiply(IM, IM, NORM)
  negate(IM, IM)
  join(out, RE, IM)
}
