/**
 * ECDSA verification on P-256 (FIPS 186-5, 6.4.2). Variable time: all inputs are public.
 *
 * u1 * G + u2 * Q is one pass of up to 257 doublings, with a table of G in windows of eight and one of Q in windows
 * of five. Scratch: the constants of this file and of the files it imports.
 */

import {
  add,
  B,
  CUBED_RADIX,
  fourMinus,
  multiply,
  ONE,
  ORDER,
  ORDER_INVERSE,
  ORDER_SQUARED_RADIX,
  PRIME,
  PRIME_INVERSE,
  SQUARED_RADIX,
  scalarMultiply,
  square,
  subtract,
  subtractEight,
  subtractTwice,
  thrice,
  twice,
} from './generated/p256-field'
import { GENERATOR, GENERATOR_WINDOW } from './generated/p256-table'
import { invert } from './inverse'
import {
  add as addLimbs,
  copy,
  ELEMENT,
  fromBytes,
  isLess,
  isZero,
  LIMB_BITS,
  LIMBS,
  reduceOnce,
  repack,
  subtract as subtractLimbs,
} from './limbs'
import { recode, WNAF } from './wnaf'

const KEY_WINDOW: u32 = 5
const KEY_MULTIPLES: i32 = 1 << (KEY_WINDOW - 2)

/** A table point: nine limbs of x, nine of y. */
const AFFINE: i32 = 72

const R: usize = memory.data(ELEMENT)
const S: usize = memory.data(ELEMENT)
const DIGEST: usize = memory.data(ELEMENT)
const X: usize = memory.data(ELEMENT)
const Y: usize = memory.data(ELEMENT)

/** The sum, Jacobian: x = X / Z^2, y = Y / Z^3. A flag marks the point at infinity. */
const SUM: usize = memory.data(3 * ELEMENT)
const SUM_Y: usize = SUM + ELEMENT
const SUM_Z: usize = SUM + 2 * ELEMENT
let sumIsInfinite: bool = false

const MULTIPLES: usize = memory.data(KEY_MULTIPLES * AFFINE)
/** While the multiples are built: their Z, and the products of the Z up to each. */
const MULTIPLES_Z: usize = memory.data(KEY_MULTIPLES * ELEMENT)
const PREFIXES: usize = memory.data(KEY_MULTIPLES * ELEMENT)
const TWICE_X: usize = memory.data(ELEMENT)
const TWICE_Y: usize = memory.data(ELEMENT)
const SIGNED_Y: usize = memory.data(ELEMENT)

const KEY_DIGITS: usize = memory.data(WNAF)
const GENERATOR_DIGITS: usize = memory.data(WNAF)
const WORDS: usize = memory.data(48)

const T0: usize = memory.data(ELEMENT)
const T1: usize = memory.data(ELEMENT)
const T2: usize = memory.data(ELEMENT)
const T3: usize = memory.data(ELEMENT)
const T4: usize = memory.data(ELEMENT)

/**
 * Returns true if (r, s) is a signature of `digest` by the key (x, y); all are 32 big-endian bytes. Also returns
 * false if r or s is outside [1, n), a coordinate is not below p, or the key is not on the curve.
 */
export function verify(digest: usize, r: usize, s: usize, x: usize, y: usize): bool {
  fromBytes(R, r)
  fromBytes(S, s)
  if (isZero(R) || isZero(S) || !isLess(R, ORDER) || !isLess(S, ORDER)) return false
  fromBytes(X, x)
  fromBytes(Y, y)
  if (!isLess(X, PRIME) || !isLess(Y, PRIME)) return false
  multiply(X, X, SQUARED_RADIX)
  multiply(Y, Y, SQUARED_RADIX)
  if (!isOnCurve()) return false

  // u1 = digest / s and u2 = r / s. The inverse is converted to Montgomery form first.
  fromBytes(DIGEST, digest)
  reduceOnce(DIGEST, ORDER)
  invert(S, S, ORDER_INVERSE)
  scalarMultiply(S, S, ORDER_SQUARED_RADIX)
  reduceOnce(S, ORDER)
  scalarMultiply(DIGEST, DIGEST, S)
  reduceOnce(DIGEST, ORDER)
  scalarMultiply(S, R, S)
  reduceOnce(S, ORDER)

  addMultiples(DIGEST, S)
  return !sumIsInfinite && hasAbscissa(R)
}

/** y^2 = x^3 - 3x + b. The point at infinity has no encoding, and (0, 0) fails here. */
function isOnCurve(): bool {
  square(T0, X)
  multiply(T0, T0, X)
  thrice(T1, X)
  subtract(T0, T0, T1)
  add(T0, T0, B)
  square(T1, Y)
  subtract(T0, T0, T1)
  return isZeroModPrime(T0)
}

/** Returns true if x of SUM is r modulo the order: r, or r + n if that is below the prime. */
function hasAbscissa(r: usize): bool {
  square(T0, SUM_Z)
  multiply(T1, r, SQUARED_RADIX)
  multiply(T1, T1, T0)
  subtract(T1, T1, SUM)
  if (isZeroModPrime(T1)) return true
  addLimbs(T1, r, ORDER)
  if (!isLess(T1, PRIME)) return false
  multiply(T1, T1, SQUARED_RADIX)
  multiply(T1, T1, T0)
  subtract(T1, T1, SUM)
  return isZeroModPrime(T1)
}

/** SUM = u1 * G + u2 * (X, Y). */
function addMultiples(u1: usize, u2: usize): void {
  repack(WORDS, 32, 8, u1, LIMB_BITS, LIMBS)
  const generator = recode(GENERATOR_DIGITS, WORDS, 256, GENERATOR_WINDOW, 1)
  repack(WORDS, 32, 8, u2, LIMB_BITS, LIMBS)
  const key = recode(KEY_DIGITS, WORDS, 256, KEY_WINDOW, 1)
  makeMultiples()

  sumIsInfinite = true
  for (let i = max(key, generator); i >= 0; i--) {
    double()
    let digit = load<i8>(KEY_DIGITS + i)
    if (digit != 0) addMultiple(MULTIPLES, digit)
    digit = load<i8>(GENERATOR_DIGITS + i)
    if (digit != 0) addMultiple(GENERATOR, digit)
  }
}

/** MULTIPLES = Q, 3Q, ... 15Q, made affine by one inversion for 2Q and one for all the rest. */
function makeMultiples(): void {
  setSum(X, Y)
  double()
  invertZ(SUM_Z, SUM_Z)
  toAffine(TWICE_X, TWICE_Y, SUM, SUM_Y, SUM_Z)

  setSum(X, Y)
  for (let i = 0; i < KEY_MULTIPLES; i++) {
    // No special case: odd multiples below 16 of a point of prime order never equal 2Q or its negative.
    if (i > 0) addPoint(TWICE_X, TWICE_Y)
    const z = MULTIPLES_Z + ELEMENT * i
    copy(MULTIPLES + AFFINE * i, SUM)
    copy(MULTIPLES + AFFINE * i + 36, SUM_Y)
    copy(z, SUM_Z)
    if (i > 0) multiply(PREFIXES + ELEMENT * i, PREFIXES + ELEMENT * (i - 1), z)
    else copy(PREFIXES, z)
  }

  // T4 = 1 / (Z0 * ... * Zi) from the top down, so T4 times the prefix below it is 1 / Zi.
  invertZ(T4, PREFIXES + ELEMENT * (KEY_MULTIPLES - 1))
  for (let i = KEY_MULTIPLES - 1; i > 0; i--) {
    const multiple = MULTIPLES + AFFINE * i
    multiply(T3, T4, PREFIXES + ELEMENT * (i - 1))
    multiply(T4, T4, MULTIPLES_Z + ELEMENT * i)
    toAffine(multiple, multiple + 36, multiple, multiple + 36, T3)
  }
}

/** out = 1 / z; both are in Montgomery form. */
function invertZ(out: usize, z: usize): void {
  copy(out, z)
  reduceOnce(out, PRIME)
  invert(out, out, PRIME_INVERSE)
  multiply(out, out, CUBED_RADIX)
}

function toAffine(outX: usize, outY: usize, x: usize, y: usize, zInverse: usize): void {
  square(T0, zInverse)
  multiply(outX, x, T0)
  multiply(T0, T0, zInverse)
  multiply(outY, y, T0)
}

function setSum(x: usize, y: usize): void {
  copy(SUM, x)
  copy(SUM_Y, y)
  copy(SUM_Z, ONE)
  sumIsInfinite = false
}

function addMultiple(table: usize, digit: i32): void {
  const x = table + AFFINE * ((abs(digit) - 1) >> 1)
  copy(SIGNED_Y, x + 36)
  if (digit < 0) {
    reduceOnce(SIGNED_Y, PRIME)
    subtractLimbs(SIGNED_Y, PRIME, SIGNED_Y)
  }
  if (sumIsInfinite) setSum(x, SIGNED_Y)
  else addPoint(x, SIGNED_Y)
}

/** SUM = 2 * SUM, for a = -3: 4 multiplications and 4 squarings. */
function double(): void {
  if (sumIsInfinite) return
  square(T0, SUM_Z)
  square(T1, SUM_Y)
  multiply(T2, SUM, T1)
  // 3 * (X - Z^2) * (X + Z^2) is the numerator of the slope.
  subtract(T3, SUM, T0)
  add(T4, SUM, T0)
  multiply(T3, T3, T4)
  thrice(T3, T3)
  multiply(SUM_Z, SUM_Y, SUM_Z)
  twice(SUM_Z, SUM_Z)
  square(SUM, T3)
  subtractEight(SUM, SUM, T2)
  fourMinus(T2, T2, SUM)
  multiply(T3, T3, T2)
  square(T1, T1)
  subtractEight(SUM_Y, T3, T1)
}

/** SUM += (x, y): 8 multiplications and 3 squarings. */
function addPoint(x: usize, y: usize): void {
  square(T0, SUM_Z)
  multiply(T1, x, T0)
  subtract(T1, T1, SUM)
  multiply(T0, T0, SUM_Z)
  multiply(T2, y, T0)
  subtract(T2, T2, SUM_Y)
  if (isZeroModPrime(T1)) {
    if (isZeroModPrime(T2)) double()
    else sumIsInfinite = true
    return
  }
  multiply(SUM_Z, SUM_Z, T1)
  square(T0, T1)
  multiply(T1, T1, T0)
  multiply(T3, SUM, T0)
  square(SUM, T2)
  subtract(SUM, SUM, T1)
  subtractTwice(SUM, SUM, T3)
  subtract(T3, T3, SUM)
  multiply(T3, T3, T2)
  multiply(T1, T1, SUM_Y)
  subtract(SUM_Y, T3, T1)
}

/** For a result of a linear combination: it is below 2p, so zero is 0 or p. */
function isZeroModPrime(a: usize): bool {
  const low = load<u32>(a)
  if (low != 0 && low != load<u32>(PRIME)) return false
  copy(T4, a)
  reduceOnce(T4, PRIME)
  return isZero(T4)
}
