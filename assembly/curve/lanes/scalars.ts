/**
 * The scalars of a batch: u1 = -digest / r for G and u2 = s / r for R, with one inversion for all, and
 * their digits. Every digit is odd (Joye and Tunstall, "Exponent recoding and regular exponentiation
 * algorithms", 2009), so that each step adds something to every point of the batch.
 */
import {
  ORDER,
  ORDER_INVERSE,
  ORDER_SQUARED_RADIX,
  scalarMultiply,
} from '../generated/secp256k1-field'
import { ODD_STEPS } from '../generated/secp256k1-lanes'
import { splitScalar } from '../glv'
import { invert } from '../inverse'
import { copy, ELEMENT, isZero, LIMB_BITS, LIMBS, reduceOnce, repack, subtract } from '../limbs'
import { CAPACITY } from './quad'

/** Bits of a digit of u2, whose halves are below 2^129, and of u1. */
export const KEY_WINDOW: i32 = 5
export const KEY_DIGITS: i32 = 26
export const GENERATOR_WINDOW: i32 = 10
export const GENERATOR_DIGITS: i32 = 26

const HALF_LIMBS: i32 = 5
const LIMB_MASK: i32 = (1 << LIMB_BITS) - 1

/** Digits by rows: one of each signature. Rows of the first half of u2, of the second, of u1. */
const DIGITS: usize = memory.data((2 * KEY_DIGITS + GENERATOR_DIGITS) * CAPACITY * 2)
export const FIRST_HALF: i32 = 0
export const SECOND_HALF: i32 = KEY_DIGITS
export const GENERATOR_ROWS: i32 = 2 * KEY_DIGITS

/** r in Montgomery form, and products of those before it. */
const DIVISORS: usize = memory.data(CAPACITY * ELEMENT)
const PREFIXES: usize = memory.data(CAPACITY * ELEMENT)
const RUNNING: usize = memory.data(ELEMENT)
const INVERSE: usize = memory.data(ELEMENT)
const U1: usize = memory.data(ELEMENT)
const U2: usize = memory.data(ELEMENT)
const K1: usize = memory.data(ELEMENT)
const K2: usize = memory.data(ELEMENT)
const HALF: usize = memory.data(ELEMENT)
/** Eight words, and zeros above them for windows that reach over the end. */
const WORDS: usize = memory.data(40)

@inline
export function digitAt(row: i32, index: i32): i32 {
  return load<i16>(DIGITS + 2 * (row * CAPACITY + index))
}

/** Those of a quad, in the low lanes. */
@inline
export function digitsAt(row: i32, index: i32): v128 {
  return v128.load64_zero(DIGITS + 2 * (row * CAPACITY + index))
}

/** Writes the digits of `count` signatures: reduced digests, r and s that are in [1, n), as elements. */
export function recodeAll(digests: usize, r: usize, s: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const divisor = DIVISORS + ELEMENT * i
    multiplyReduced(divisor, r + ELEMENT * i, ORDER_SQUARED_RADIX)
    if (i == 0) {
      copy(RUNNING, divisor)
    } else {
      copy(PREFIXES + ELEMENT * i, RUNNING)
      multiplyReduced(RUNNING, RUNNING, divisor)
    }
  }
  // The inverse of what is in Montgomery form lacks its radix twice.
  invert(RUNNING, RUNNING, ORDER_INVERSE)
  multiplyReduced(RUNNING, RUNNING, ORDER_SQUARED_RADIX)
  multiplyReduced(RUNNING, RUNNING, ORDER_SQUARED_RADIX)
  for (let i = count - 1; i >= 0; i--) {
    if (i == 0) {
      copy(INVERSE, RUNNING)
    } else {
      multiplyReduced(INVERSE, RUNNING, PREFIXES + ELEMENT * i)
      multiplyReduced(RUNNING, RUNNING, DIVISORS + ELEMENT * i)
    }
    multiplyReduced(U1, digests + ELEMENT * i, INVERSE)
    multiplyReduced(U2, s + ELEMENT * i, INVERSE)
    recodeGenerator(i)
    recodeKey(i)
  }
}

function multiplyReduced(out: usize, a: usize, b: usize): void {
  scalarMultiply(out, a, b)
  reduceOnce(out, ORDER)
}

/** The digits of -U1: of n - U1 or of U1, whichever is odd, and n itself for zero. */
function recodeGenerator(index: i32): void {
  let sign = -1
  if ((load<u32>(U1) & 1) == 0) {
    if (isZero(U1)) copy(U1, ORDER)
    else subtract(U1, ORDER, U1)
    sign = 1
  }
  recode(U1, LIMBS, GENERATOR_ROWS, index, GENERATOR_WINDOW, GENERATOR_DIGITS, sign)
}

function recodeKey(index: i32): void {
  const negative = splitScalar(K1, K2, U2)
  const step = ODD_STEPS + 40 * ((load<u32>(K1) & 1) | ((load<u32>(K2) & 1) << 1))
  recodeHalf(K1, (negative & 1) != 0, step, FIRST_HALF, index)
  recodeHalf(K2, negative >> 1 != 0, step + 20, SECOND_HALF, index)
}

/** The digits of the half plus the step. */
function recodeHalf(size: usize, negative: bool, step: usize, row: i32, index: i32): void {
  const factor = negative ? -1 : 1
  const sign = addSigned(size, factor, step, 1)
  if (sign < 0) addSigned(HALF, -1, step, 0)
  recode(HALF, HALF_LIMBS, row, index, KEY_WINDOW, KEY_DIGITS, sign)
}

/** HALF = a * factor + b * times, and its sign: when that is -1 the top limb is negative. */
function addSigned(a: usize, factor: i32, b: usize, times: i32): i32 {
  let sum: i32 = 0
  for (let i: usize = 0; i < 4 * (HALF_LIMBS - 1); i += 4) {
    sum += load<i32>(a + i) * factor + load<i32>(b + i) * times
    store<i32>(HALF + i, sum & LIMB_MASK)
    sum >>= LIMB_BITS
  }
  sum += load<i32>(a, 16) * factor + load<i32>(b, 16) * times
  store<i32>(HALF, sum, 16)
  return sum < 0 ? -1 : 1
}

/** Digits of an odd number, each times `sign`: odd, and below 2^width in size. */
function recode(
  value: usize,
  limbs: i32,
  row: i32,
  index: i32,
  width: i32,
  count: i32,
  sign: i32,
): void {
  repack(WORDS, 32, 8, value, LIMB_BITS, limbs)
  let out = DIGITS + 2 * (row * CAPACITY + index)
  const mask = (2 << width) - 1
  let position = 0
  for (let i = 1; i < count; i++) {
    const window = load<u32>(WORDS + (position >> 3)) >> (position & 7)
    store<i16>(out, (((window & mask) | 1) - (1 << width)) * sign)
    out += 2 * CAPACITY
    position += width
  }
  const top = load<u32>(WORDS + (position >> 3)) >> (position & 7)
  store<i16>(out, (top | 1) * sign)
}
