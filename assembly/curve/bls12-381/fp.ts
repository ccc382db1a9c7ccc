/**
 * Fp of BLS12-381 over the generated products. An element is one half of a slot of 112 bytes (fourteen limbs, eight
 * bytes apart). The second half starts at the slot's address plus four.
 */
import {
  CUBED_RADIX,
  ONE,
  PRIME,
  PRIME_INVERSE,
  ROOT_EXPONENT,
  SQUARED_RADIX,
  UNIT,
} from '../generated/bls12-381-constants'
import { copy, multiplyFp, negate, reduce, squareFp, subtract } from '../generated/bls12-381-field'
import { invertLimbs } from '../inverse'
import { repack } from '../limbs'

/** Bytes of a slot. */
export const ELEMENT: i32 = 112
/** Bytes of a field element in a message, without padding. */
export const FIELD_BYTES: i32 = 48

const LIMBS: i32 = 14
const BITS: u32 = 28
const MASK: i32 = (1 << BITS) - 1
const STRIDE: i32 = 8
/** Number of 30-bit limbs that inverse.ts takes. */
const WIDE_LIMBS: i32 = 13

const REDUCED: usize = memory.data(ELEMENT, 16)
const PLAIN: usize = memory.data(ELEMENT, 16)
const NEGATED: usize = memory.data(ELEMENT, 16)
const SQUARE: usize = memory.data(ELEMENT, 16)
const WORDS: usize = memory.data(4 * LIMBS)
const WIDE: usize = memory.data(4 * WIDE_LIMBS)
/** a^0 to a^15. */
const POWERS: usize = memory.data(16 * ELEMENT, 16)

/** Returns true if a, at most seven halves in size, is a multiple of the prime. */
export function isZeroFp(a: usize): bool {
  reduce(REDUCED, a)
  return hasNoDigits(REDUCED)
}

/** Returns true if `reduce` left zero. */
export function hasNoDigits(a: usize): bool {
  let carry: i32 = 0
  for (let i = 0; i < LIMBS; i++) {
    carry += load<i32>(a + STRIDE * i)
    if ((carry & MASK) != 0) return false
    carry >>= BITS
  }
  return carry == 0
}

/** Turns a value between -p and 2p into unsigned limbs and reduces it to [0, p). */
function makeCanonical(a: usize): void {
  carryOver(a, 0)
  if (load<i32>(a, STRIDE * (LIMBS - 1)) < 0) carryOver(a, 1)
  else if (!isBelow(a, PRIME, 4)) carryOver(a, -1)
}

/** Adds `times` primes and propagates carries. */
function carryOver(a: usize, times: i32): void {
  let carry: i32 = 0
  for (let i = 0; i < LIMBS; i++) {
    carry += load<i32>(a + STRIDE * i) + times * load<i32>(PRIME + 4 * i)
    store<i32>(a + STRIDE * i, i < LIMBS - 1 ? carry & MASK : carry)
    carry >>= BITS
  }
}

/** Compares unsigned limbs. Those of b are `stride` bytes apart. */
function isBelow(a: usize, b: usize, stride: i32): bool {
  for (let i = LIMBS - 1; i >= 0; i--) {
    const x = load<i32>(a + STRIDE * i)
    const y = load<i32>(b + stride * i)
    if (x != y) return x < y
  }
  return false
}

/** Converts out of Montgomery form to unsigned limbs. */
function leaveMontgomery(out: usize, a: usize): void {
  multiplyFp(out, a, UNIT)
  makeCanonical(out)
}

/** Reads 48 big-endian bytes. Returns false if they are not below the prime. */
export function decodeFp(out: usize, bytes: usize): bool {
  let pool: u64 = 0
  let pooled: u32 = 0
  let next = bytes + FIELD_BYTES
  for (let i = 0; i < LIMBS; i++) {
    while (pooled < BITS && next > bytes) {
      next--
      pool |= (load<u8>(next) as u64) << pooled
      pooled += 8
    }
    store<i32>(out + STRIDE * i, (pool as i32) & MASK)
    pool >>= BITS
    pooled = pooled > BITS ? pooled - BITS : 0
  }
  if (!isBelow(out, PRIME, 4)) return false
  multiplyFp(out, out, SQUARED_RADIX)
  return true
}

/** Writes 48 big-endian bytes. */
export function encodeFp(bytes: usize, a: usize): void {
  leaveMontgomery(PLAIN, a)
  let pool: u64 = 0
  let pooled: u32 = 0
  let limb = PLAIN
  for (let i = FIELD_BYTES - 1; i >= 0; i--) {
    if (pooled < 8) {
      pool |= (load<u32>(limb) as u64) << pooled
      pooled += BITS
      limb += STRIDE
    }
    store<u8>(bytes + i, pool as u8)
    pool >>= 8
    pooled -= 8
  }
}

export function isOddFp(a: usize): bool {
  leaveMontgomery(PLAIN, a)
  return (load<i32>(PLAIN) & 1) != 0
}

/** Returns true if a is above (p - 1) / 2. */
export function isUpperHalfFp(a: usize): bool {
  leaveMontgomery(PLAIN, a)
  negate(NEGATED, a)
  leaveMontgomery(NEGATED, NEGATED)
  return isBelow(NEGATED, PLAIN, STRIDE)
}

/** out = 1 / a, for non-zero a. */
export function invertFp(out: usize, a: usize): void {
  reduce(REDUCED, a)
  makeCanonical(REDUCED)
  for (let i = 0; i < LIMBS; i++) store<u32>(WORDS + 4 * i, load<u32>(REDUCED + STRIDE * i))
  repack(WIDE, 30, WIDE_LIMBS, WORDS, BITS, LIMBS)
  invertLimbs(WIDE, WIDE, PRIME_INVERSE, WIDE_LIMBS)
  repack(WORDS, BITS, LIMBS, WIDE, 30, WIDE_LIMBS)
  for (let i = 0; i < LIMBS; i++) store<u32>(REDUCED + STRIDE * i, load<u32>(WORDS + 4 * i))
  multiplyFp(out, REDUCED, CUBED_RADIX)
}

/**
 * out = a^((p + 1) / 4): a square root of a, or of -a if a is not a square. Returns true if a is a square. The prime
 * is 3 modulo 4; four bits at a time, 380 squarings.
 */
export function rootFp(out: usize, a: usize): bool {
  copy(POWERS, ONE)
  for (let i = 1; i < 16; i++) multiplyFp(POWERS + ELEMENT * i, POWERS + ELEMENT * (i - 1), a)
  copy(SQUARE, ONE)
  for (let i = 0; i < FIELD_BYTES; i++) {
    const byte: i32 = load<u8>(ROOT_EXPONENT + i)
    appendDigit(byte >> 4)
    appendDigit(byte & 15)
  }
  multiplyFp(out, SQUARE, POWERS + ELEMENT)
  squareFp(SQUARE, out)
  subtract(SQUARE, SQUARE, POWERS + ELEMENT)
  return isZeroFp(SQUARE)
}

function appendDigit(digit: i32): void {
  for (let i = 0; i < 4; i++) squareFp(SQUARE, SQUARE)
  if (digit != 0) multiplyFp(SQUARE, SQUARE, POWERS + ELEMENT * digit)
}
