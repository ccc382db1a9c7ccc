/**
 * The scalars of a batch: u1 = -digest / r for G and u2 = s / r for R, with one inversion for all, and their digits.
 * No digit is zero, so each step adds a point to every sum of the batch.
 *
 * The digits of u1 are odd (Joye and Tunstall, "Exponent recoding and regular exponentiation algorithms", 2009). u2
 * is k1 + k2 * lambda, which adds and multiplies as the Eisenstein integer k1 + k2 * omega, written to the base 8.
 * Its units (powers of -omega) cost nothing, so twelve multiples of R cover a digit of every class modulo 8. That
 * makes 42 additions; two halves of odd five-bit digits would take 52, and four more for the table.
 */
import {
  ORDER,
  ORDER_INVERSE,
  ORDER_SQUARED_RADIX,
  scalarMultiply,
} from '../generated/secp256k1-field'
import { CLASS_DIGITS } from '../generated/secp256k1-lanes'
import { splitScalar } from '../glv'
import { invert } from '../inverse'
import { copy, ELEMENT, isZero, LIMB_BITS, LIMBS, reduceOnce, repack, subtract } from '../limbs'
import { CAPACITY } from './quad'
import { spoilt } from './shared-inverse'

/** Digits of u2, of three bits. With 42 below it the top digit is an available one or zero, except for contrived u2. */
export const KEY_DIGITS: i32 = 43
export const KEY_WINDOW: i32 = 3
export const GENERATOR_WINDOW: i32 = 9
export const GENERATOR_DIGITS: i32 = 29

/**
 * Digits in rows, one of each signature: the rows of u2, then of u1. A digit of u2 is a code: bit 15 for a negative
 * one, from bit 2 the multiple of R, below it the vector of x there: 0, or 2 for lambda times it, 3 for lambda^2
 * times it.
 */
const DIGITS: usize = memory.data((KEY_DIGITS + GENERATOR_DIGITS) * CAPACITY * 2, 16)
export const KEY_ROWS: i32 = 0
export const GENERATOR_ROWS: i32 = KEY_DIGITS

/** For each signature -1 if the top digit of u2 is zero, else 0. That digit is stored as 3, which equals no other. */
export const topless: usize = memory.data(CAPACITY * 4, 16)
const PLACEHOLDER: u16 = 3 << 2

/** r in Montgomery form, and the product of the r before each. */
const DIVISORS: usize = memory.data(CAPACITY * ELEMENT)
const PREFIXES: usize = memory.data(CAPACITY * ELEMENT)
const RUNNING: usize = memory.data(ELEMENT)
const INVERSE: usize = memory.data(ELEMENT)
const U1: usize = memory.data(ELEMENT)
const U2: usize = memory.data(ELEMENT)
const K1: usize = memory.data(ELEMENT)
const K2: usize = memory.data(ELEMENT)
/** Eight words, then zeros for windows that reach past the end. */
const WORDS: usize = memory.data(40)
const MORE_WORDS: usize = memory.data(40)

@inline
export function digitAt(row: i32, index: i32): i32 {
  return load<i16>(DIGITS + 2 * (row * CAPACITY + index))
}

/** Those of a quad, in the low lanes. */
@inline
export function digitsAt(row: i32, index: i32): v128 {
  return v128.load64_zero(DIGITS + 2 * (row * CAPACITY + index))
}

/** Writes the digits of `count` signatures from reduced digests, r and s in [1, n), as elements. */
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
  // The inverse of a value in Montgomery form lacks the radix twice.
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

/** Writes the digits of -U1: of n - U1 or of U1, whichever is odd, and of n itself for zero. */
function recodeGenerator(index: i32): void {
  let sign = -1
  if ((load<u32>(U1) & 1) == 0) {
    if (isZero(U1)) copy(U1, ORDER)
    else subtract(U1, ORDER, U1)
    sign = 1
  }
  recode(U1, GENERATOR_ROWS, index, GENERATOR_WINDOW, GENERATOR_DIGITS, sign)
}

function recodeKey(index: i32): void {
  const negative = splitScalar(K1, K2, U2)
  repack(WORDS, 32, 8, K1, LIMB_BITS, LIMBS)
  repack(MORE_WORDS, 32, 8, K2, LIMB_BITS, LIMBS)
  const factor = (negative & 1) != 0 ? -1 : 1
  const moreFactor = negative >> 1 != 0 ? -1 : 1
  let a: i32 = 0
  let b: i32 = 0
  let out = DIGITS + 2 * (KEY_ROWS * CAPACITY + index)
  for (let position: i32 = 0; position < KEY_WINDOW * (KEY_DIGITS - 1); position += KEY_WINDOW) {
    a += windowAt(WORDS, position) * factor
    b += windowAt(MORE_WORDS, position) * moreFactor
    const digit = load<i32>(CLASS_DIGITS + 4 * ((a & 7) + 8 * (b & 7)))
    store<u16>(out, (digit >> 16) as u16)
    a = (a - ((digit << 24) >> 24)) >> KEY_WINDOW
    b = (b - ((digit << 16) >> 24)) >> KEY_WINDOW
    out += 2 * CAPACITY
  }
  a += windowAt(WORDS, KEY_WINDOW * (KEY_DIGITS - 1)) * factor
  b += windowAt(MORE_WORDS, KEY_WINDOW * (KEY_DIGITS - 1)) * moreFactor
  const top = load<i32>(CLASS_DIGITS + 4 * ((a & 7) + 8 * (b & 7)))
  const isZeroTop = (a | b) == 0
  store<u16>(out, isZeroTop ? PLACEHOLDER : ((top >> 16) as u16))
  store<i32>(topless + 4 * index, isZeroTop ? -1 : 0)
  const isDigit = a == (top << 24) >> 24 && b == (top << 16) >> 24
  if (!isDigit && !isZeroTop) store<u8>(spoilt + index, 1)
}

@inline
function windowAt(words: usize, position: i32): i32 {
  return (load<u32>(words + (position >> 3)) >> (position & 7)) & ((1 << KEY_WINDOW) - 1)
}

/** Writes the digits of an odd number, each times `sign`: odd, and below 2^width in size. */
function recode(value: usize, row: i32, index: i32, width: i32, count: i32, sign: i32): void {
  repack(WORDS, 32, 8, value, LIMB_BITS, LIMBS)
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
