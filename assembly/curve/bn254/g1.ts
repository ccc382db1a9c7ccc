/**
 * G1 of BN254, y^2 = x^3 + 3 over Fp: decoding, addition and multiplication (EIP-196). The order is prime, so every
 * point of the curve is in the group. Variable time.
 *
 * A product is one pass of at most 130 doublings over the halves of the scalar. Formulas: dbl-2009-l and madd of the
 * Explicit-Formulas Database for Jacobian coordinates, a = 0.
 */
import {
  add as addFp,
  B,
  BETA,
  multiply,
  negate,
  ONE,
  quadruple,
  square,
  subtract,
  subtractEight,
  subtractTwice,
  thrice,
  twice,
} from '../generated/bn254-fp'
import { copy, ELEMENT } from '../limbs'
import { recode, WNAF } from '../wnaf'
import { HALF_BITS, splitScalar } from './endomorphism'
import { decode, encode, inverse, isZero } from './fp'

// Results of `decodePoint`
export const INVALID: i32 = -1
export const INFINITE: i32 = 0
export const FINITE: i32 = 1

/** Bytes of an affine point: x and y. */
export const AFFINE: i32 = 2 * ELEMENT
/** Bytes of its encoding. */
const ENCODED: usize = 64

const WINDOW: u32 = 4
const MULTIPLES_COUNT: i32 = 1 << (WINDOW - 2)

/** The sum, Jacobian: x = X / Z^2, y = Y / Z^3. A flag marks the point at infinity. */
const SUM: usize = memory.data(3 * ELEMENT)
const SUM_Y: usize = SUM + ELEMENT
const SUM_Z: usize = SUM + 2 * ELEMENT
let sumIsInfinite: bool = false

/** Odd multiples on the curve on which all are affine, and x times BETA for those of lambda * P. */
const MULTIPLES: usize = memory.data(MULTIPLES_COUNT * AFFINE)
const MULTIPLES_BETA: usize = memory.data(MULTIPLES_COUNT * AFFINE)
const RATIOS: usize = memory.data(MULTIPLES_COUNT * ELEMENT)
/** The Z that maps that curve back to BN254. */
const COMMON_Z: usize = memory.data(ELEMENT)
const TWICE_P: usize = memory.data(AFFINE)
const SIGNED_Y: usize = memory.data(ELEMENT)

const DIGITS: usize = memory.data(2 * WNAF)
/** The halves of a scalar. `recode` reads one word past the last. */
const K1: usize = memory.data(24)
const K2: usize = memory.data(24)

const LEFT: usize = memory.data(AFFINE)
const RIGHT: usize = memory.data(AFFINE)
const T0: usize = memory.data(ELEMENT)
const T1: usize = memory.data(ELEMENT)
const T2: usize = memory.data(ELEMENT)
const T3: usize = memory.data(ELEMENT)
const T4: usize = memory.data(ELEMENT)

/** Reads x and y, 32 big-endian bytes each. Both zero encode the point at infinity. */
export function decodePoint(out: usize, bytes: usize): i32 {
  const x = out
  const y = out + ELEMENT
  if (!decode(x, bytes) || !decode(y, bytes + 32)) return INVALID
  if (isZero(x) && isZero(y)) return INFINITE
  square(T0, x)
  multiply(T0, T0, x)
  addFp(T0, T0, B)
  square(T1, y)
  subtract(T0, T0, T1)
  return isZero(T0) ? FINITE : INVALID
}

/** Writes the sum of the encoded points at `a` and `b`. Returns false if one is invalid. */
export function addPoints(out: usize, a: usize, b: usize): bool {
  const left = decodePoint(LEFT, a)
  const right = decodePoint(RIGHT, b)
  if (left == INVALID || right == INVALID) return false
  if (left == INFINITE || right == INFINITE) {
    memory.copy(out, left == INFINITE ? b : a, ENCODED)
    return true
  }
  // The slope is T1 / T0.
  subtract(T0, RIGHT, LEFT)
  subtract(T1, RIGHT + ELEMENT, LEFT + ELEMENT)
  if (isZero(T0)) {
    if (!isZero(T1)) {
      memory.fill(out, 0, ENCODED)
      return true
    }
    square(T1, LEFT)
    thrice(T1, T1)
    twice(T0, LEFT + ELEMENT)
  }
  inverse(T0, T0)
  multiply(T1, T1, T0)
  square(T2, T1)
  subtract(T2, T2, LEFT)
  subtract(T2, T2, RIGHT)
  subtract(T3, LEFT, T2)
  multiply(T3, T3, T1)
  subtract(T3, T3, LEFT + ELEMENT)
  encode(out, T2)
  encode(out + 32, T3)
  return true
}

/**
 * Writes the encoded point at `p` times the number in `k`, eight little-endian words. Returns false if the point is
 * invalid.
 */
export function multiplyPoint(out: usize, p: usize, k: usize): bool {
  const kind = decodePoint(LEFT, p)
  if (kind == INVALID) return false
  sumIsInfinite = true
  if (kind == FINITE) multiplyLeft(k)
  if (sumIsInfinite) {
    memory.fill(out, 0, ENCODED)
    return true
  }
  multiply(SUM_Z, SUM_Z, COMMON_Z)
  inverse(T2, SUM_Z)
  square(T0, T2)
  multiply(SUM, SUM, T0)
  multiply(T0, T0, T2)
  multiply(SUM_Y, SUM_Y, T0)
  encode(out, SUM)
  encode(out + 32, SUM_Y)
  return true
}

/** SUM = k * LEFT, on the curve of COMMON_Z. */
function multiplyLeft(k: usize): void {
  const isNegative = splitScalar(K1, K2, k)
  const first = recode(DIGITS, K1, HALF_BITS, WINDOW, 1)
  const second = recode(DIGITS + WNAF, K2, HALF_BITS, WINDOW, isNegative ? -1 : 1)
  makeMultiples()

  sumIsInfinite = true
  for (let i = max(first, second); i >= 0; i--) {
    double()
    let digit = load<i8>(DIGITS + i)
    if (digit != 0) addMultiple(MULTIPLES, digit)
    digit = load<i8>(DIGITS + WNAF + i)
    if (digit != 0) addMultiple(MULTIPLES_BETA, digit)
  }
}

/**
 * MULTIPLES = P, 3P, 5P, 7P. On the isomorphic curve on which 2P is affine, every step is a mixed addition. The
 * ratios of successive Z then bring all of them to the last one's Z without an inversion.
 */
function makeMultiples(): void {
  setSum(LEFT, LEFT + ELEMENT)
  double()
  copy(TWICE_P, SUM)
  copy(TWICE_P + ELEMENT, SUM_Y)
  copy(COMMON_Z, SUM_Z)

  square(T3, COMMON_Z)
  multiply(T4, LEFT, T3)
  multiply(T3, T3, COMMON_Z)
  multiply(T3, LEFT + ELEMENT, T3)
  setSum(T4, T3)
  storeMultiple(MULTIPLES)
  for (let i = 1; i < MULTIPLES_COUNT; i++) {
    // No special case: odd multiples below 8 of a point of prime order never equal 2P or its negative.
    compare(TWICE_P, TWICE_P + ELEMENT)
    copy(RATIOS + ELEMENT * i, T1)
    addCompared()
    storeMultiple(MULTIPLES + AFFINE * i)
  }
  multiply(COMMON_Z, COMMON_Z, SUM_Z)

  copy(T3, RATIOS + ELEMENT * (MULTIPLES_COUNT - 1))
  for (let i = MULTIPLES_COUNT - 2; i >= 0; i--) {
    const multiple = MULTIPLES + AFFINE * i
    square(T4, T3)
    multiply(multiple, multiple, T4)
    multiply(T4, T4, T3)
    multiply(multiple + ELEMENT, multiple + ELEMENT, T4)
    if (i > 0) multiply(T3, T3, RATIOS + ELEMENT * i)
  }
  for (let i = 0; i < MULTIPLES_COUNT; i++) {
    multiply(MULTIPLES_BETA + AFFINE * i, MULTIPLES + AFFINE * i, BETA)
    copy(MULTIPLES_BETA + AFFINE * i + ELEMENT, MULTIPLES + AFFINE * i + ELEMENT)
  }
}

function storeMultiple(out: usize): void {
  copy(out, SUM)
  copy(out + ELEMENT, SUM_Y)
}

function setSum(x: usize, y: usize): void {
  copy(SUM, x)
  copy(SUM_Y, y)
  copy(SUM_Z, ONE)
  sumIsInfinite = false
}

function addMultiple(table: usize, digit: i32): void {
  const x = table + AFFINE * ((abs(digit) - 1) >> 1)
  if (digit < 0) negate(SIGNED_Y, x + ELEMENT)
  else copy(SIGNED_Y, x + ELEMENT)
  if (sumIsInfinite) return setSum(x, SIGNED_Y)
  compare(x, SIGNED_Y)
  if (!isZero(T1)) addCompared()
  else if (isZero(T2)) double()
  else sumIsInfinite = true
}

/** SUM = 2 * SUM: 3 multiplications and 4 squarings. */
function double(): void {
  if (sumIsInfinite) return
  square(T0, SUM)
  thrice(T0, T0)
  square(T1, SUM_Y)
  multiply(T2, SUM, T1)
  quadruple(T2, T2)
  square(T1, T1)
  multiply(SUM_Z, SUM_Y, SUM_Z)
  twice(SUM_Z, SUM_Z)
  square(T3, T0)
  subtractTwice(SUM, T3, T2)
  subtract(T2, T2, SUM)
  multiply(T2, T2, T0)
  subtractEight(SUM_Y, T2, T1)
}

/** T1 = x * Z^2 - X and T2 = y * Z^3 - Y. Both are zero if the points are equal. */
function compare(x: usize, y: usize): void {
  square(T0, SUM_Z)
  multiply(T1, x, T0)
  subtract(T1, T1, SUM)
  multiply(T0, T0, SUM_Z)
  multiply(T2, y, T0)
  subtract(T2, T2, SUM_Y)
}

/** SUM += the point compared with it: 8 multiplications and 3 squarings in all. */
function addCompared(): void {
  multiply(SUM_Z, SUM_Z, T1)
  square(T0, T1)
  multiply(T1, T1, T0)
  multiply(T0, SUM, T0)
  square(SUM, T2)
  subtract(SUM, SUM, T1)
  subtractTwice(SUM, SUM, T0)
  subtract(T0, T0, SUM)
  multiply(T0, T0, T2)
  multiply(T1, T1, SUM_Y)
  subtract(SUM_Y, T0, T1)
}
