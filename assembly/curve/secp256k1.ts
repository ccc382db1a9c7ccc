/**
 * Public key recovery on secp256k1 (SEC 1, 4.1.6). Variable time: all inputs are public.
 *
 * u1 * G + u2 * R is one pass of 129 doublings over four recoded halves: R and lambda * R in windows of five, G and
 * 2^128 * G in windows of eight from tables. Scratch: the constants of this file and of the files it imports.
 */
import { keccak256 } from '../hash/keccak'
import {
  BETA,
  multiply,
  multiplyBy2,
  multiplyBy4,
  multiplyMinus,
  multiplyMinus8,
  multiplyPair,
  negate,
  ORDER,
  ORDER_INVERSE,
  ORDER_SQUARED_RADIX,
  PRIME,
  PRIME_INVERSE,
  scalarMultiply,
  square,
  squareBy3,
  squareMinus2,
  squareMinusMinus2,
  subtract,
} from './generated/secp256k1-field'
import { GENERATOR, GENERATOR_HIGH, GENERATOR_WINDOW } from './generated/secp256k1-table'
import { HALF_BITS, splitScalar } from './glv'
import { invert } from './inverse'
import {
  carry,
  copy,
  ELEMENT,
  fromBytes,
  isLess,
  isZero,
  LIMB_BITS,
  LIMBS,
  reduceOnce,
  repack,
  setSmall,
  subtract as subtractLimbs,
  toBytes,
} from './limbs'
import { recode, WNAF } from './wnaf'

const KEY_WINDOW: u32 = 5
const KEY_MULTIPLES: i32 = 1 << (KEY_WINDOW - 2)

/** A table point: nine limbs of x, nine of y. */
const AFFINE: i32 = 72

const R: usize = memory.data(ELEMENT)
const S: usize = memory.data(ELEMENT)
const DIGEST: usize = memory.data(ELEMENT)
const INVERSE: usize = memory.data(ELEMENT)
const K1: usize = memory.data(ELEMENT)
const K2: usize = memory.data(ELEMENT)
const X: usize = memory.data(ELEMENT)
const Y: usize = memory.data(ELEMENT)

/** The sum, Jacobian: x = X / Z^2, y = Y / Z^3. A flag marks the point at infinity. */
const SUM: usize = memory.data(3 * ELEMENT)
const SUM_Y: usize = SUM + ELEMENT
const SUM_Z: usize = SUM + 2 * ELEMENT
let sumIsInfinite: bool = false

/** Odd multiples of R on the curve on which all of them are affine, and x times BETA for lambda * R. */
const MULTIPLES: usize = memory.data(KEY_MULTIPLES * AFFINE)
const MULTIPLES_BETA: usize = memory.data(KEY_MULTIPLES * AFFINE)
const RATIOS: usize = memory.data(KEY_MULTIPLES * ELEMENT)
/** The Z that maps that curve back to secp256k1. */
const COMMON_Z: usize = memory.data(ELEMENT)
const TWICE_X: usize = memory.data(ELEMENT)
const TWICE_Y: usize = memory.data(ELEMENT)
const SIGNED_Y: usize = memory.data(ELEMENT)
const SCALED_Z: usize = memory.data(ELEMENT)

/** Digits of R, lambda * R, G and 2^128 * G, and the words they are read from. */
const DIGITS: usize = memory.data(4 * WNAF)
const WORDS: usize = memory.data(48)

const T0: usize = memory.data(ELEMENT)
const T1: usize = memory.data(ELEMENT)
const T2: usize = memory.data(ELEMENT)
const T3: usize = memory.data(ELEMENT)
const T4: usize = memory.data(ELEMENT)
const T5: usize = memory.data(ELEMENT)
const T6: usize = memory.data(ELEMENT)
const T7: usize = memory.data(ELEMENT)

const KEY: usize = memory.data(64)

/**
 * Writes the address that signed `digest` (Keccak-256 of the key, last 20 bytes) to `out`. Arguments and result are
 * those of `recover`.
 */
export function recoverAddress(digest: usize, yParity: u32, r: usize, s: usize, out: usize): bool {
  if (!recover(digest, yParity, r, s, KEY)) return false
  keccak256(KEY, 64, KEY)
  memory.copy(out, KEY + 12, 20)
  return true
}

/**
 * Writes the public key (x and y, 32 bytes each) that signed `digest` to `out`. `digest`, `r` and `s` are 32
 * big-endian bytes; `yParity` is 0 or 1, the parity of y of the point whose x is r. Returns false if r or s is
 * outside [1, n), r is not an x of the curve, or the key is the point at infinity. A large s is accepted: EIP-2 is a
 * rule of transactions, not of the curve.
 */
export function recover(digest: usize, yParity: u32, r: usize, s: usize, out: usize): bool {
  fromBytes(R, r)
  fromBytes(S, s)
  if (isZero(R) || isZero(S) || !isLess(R, ORDER) || !isLess(S, ORDER)) return false
  if (!lift(R, yParity)) return false

  // u1 = -digest / r and u2 = s / r. The inverse is converted to Montgomery form first.
  fromBytes(DIGEST, digest)
  reduceOnce(DIGEST, ORDER)
  invert(INVERSE, R, ORDER_INVERSE)
  scalarMultiply(INVERSE, INVERSE, ORDER_SQUARED_RADIX)
  reduceOnce(INVERSE, ORDER)
  scalarMultiply(DIGEST, DIGEST, INVERSE)
  reduceOnce(DIGEST, ORDER)
  if (!isZero(DIGEST)) subtractLimbs(DIGEST, ORDER, DIGEST)
  scalarMultiply(S, S, INVERSE)
  reduceOnce(S, ORDER)

  addMultiples(DIGEST, S)
  if (sumIsInfinite) return false

  multiply(SUM_Z, SUM_Z, COMMON_Z)
  normalize(SUM_Z)
  invert(INVERSE, SUM_Z, PRIME_INVERSE)
  square(T0, INVERSE)
  multiply(X, SUM, T0)
  multiply(T0, T0, INVERSE)
  multiply(Y, SUM_Y, T0)
  normalize(X)
  normalize(Y)
  toBytes(out, X)
  toBytes(out + 32, Y)
  return true
}

/**
 * Writes the point (x and y, 32 bytes each) with the x of 32 bytes at `x` and this parity of y to `out`. Returns
 * false if there is no such point.
 */
export function decompress(x: usize, yParity: u32, out: usize): bool {
  fromBytes(R, x)
  if (!isLess(R, PRIME) || !lift(R, yParity)) return false
  toBytes(out, X)
  toBytes(out + 32, Y)
  return true
}

/** (X, Y) = the point with this x and this parity of y. Returns false if there is no such point. */
function lift(x: usize, parity: u32): bool {
  copy(X, x)
  square(T0, X)
  multiply(T0, T0, X)
  store<u32>(T0, load<u32>(T0) + 7)
  squareRoot(Y, T0)
  square(T1, Y)
  normalize(T1)
  normalize(T0)
  for (let i: usize = 0; i < 36; i += 4) if (load<u32>(T0 + i) != load<u32>(T1 + i)) return false
  normalize(Y)
  // y is never zero: the order of the curve is odd.
  if ((load<u32>(Y) & 1) != parity) subtractLimbs(Y, PRIME, Y)
  return true
}

/** SUM = u1 * G + u2 * (X, Y), on the curve of COMMON_Z. */
function addMultiples(u1: usize, u2: usize): void {
  const signs = splitScalar(K1, K2, u2)
  const key = recodeHalf(0, K1, KEY_WINDOW, signs & 1)
  const keyLambda = recodeHalf(1, K2, KEY_WINDOW, signs >> 1)
  repack(WORDS, 32, 8, u1, LIMB_BITS, LIMBS)
  const high = recode(DIGITS + 3 * WNAF, WORDS + 16, 128, GENERATOR_WINDOW, 1)
  memory.fill(WORDS + 16, 0, 16)
  const low = recode(DIGITS + 2 * WNAF, WORDS, 128, GENERATOR_WINDOW, 1)
  makeMultiples()

  sumIsInfinite = true
  for (let i = max(max(key, keyLambda), max(low, high)); i >= 0; i--) {
    double()
    let digit = load<i8>(DIGITS + i)
    if (digit != 0) addKey(MULTIPLES, digit)
    digit = load<i8>(DIGITS + WNAF + i)
    if (digit != 0) addKey(MULTIPLES_BETA, digit)
    digit = load<i8>(DIGITS + 2 * WNAF + i)
    if (digit != 0) addGenerator(GENERATOR, digit)
    digit = load<i8>(DIGITS + 3 * WNAF + i)
    if (digit != 0) addGenerator(GENERATOR_HIGH, digit)
  }
}

function recodeHalf(index: i32, k: usize, width: u32, negative: i32): i32 {
  repack(WORDS, 32, 8, k, LIMB_BITS, LIMBS)
  return recode(DIGITS + WNAF * index, WORDS, HALF_BITS, width, negative != 0 ? -1 : 1)
}

/**
 * MULTIPLES = R, 3R, ... 15R. On the isomorphic curve on which 2R is affine, every step is a mixed addition. The
 * ratios of successive Z then bring all of them to the last one's Z without an inversion.
 */
function makeMultiples(): void {
  copy(SUM, X)
  copy(SUM_Y, Y)
  setSmall(SUM_Z, 1)
  sumIsInfinite = false
  double()
  copy(TWICE_X, SUM)
  copy(TWICE_Y, SUM_Y)
  copy(COMMON_Z, SUM_Z)

  square(T6, COMMON_Z)
  multiply(SUM, X, T6)
  multiply(T6, T6, COMMON_Z)
  multiply(SUM_Y, Y, T6)
  setSmall(SUM_Z, 1)
  storeMultiple(MULTIPLES)
  for (let i = 1; i < KEY_MULTIPLES; i++) {
    // No special case: odd multiples below 16 of a point of prime order never equal 2R or its negative.
    compare(TWICE_X, TWICE_Y, SUM_Z)
    copy(RATIOS + ELEMENT * i, T1)
    addCompared()
    storeMultiple(MULTIPLES + AFFINE * i)
  }
  multiply(COMMON_Z, COMMON_Z, SUM_Z)

  copy(T6, RATIOS + ELEMENT * (KEY_MULTIPLES - 1))
  for (let i = KEY_MULTIPLES - 2; i >= 0; i--) {
    const multiple = MULTIPLES + AFFINE * i
    square(T7, T6)
    multiply(multiple, multiple, T7)
    multiply(T7, T7, T6)
    multiply(multiple + 36, multiple + 36, T7)
    if (i > 0) multiply(T6, T6, RATIOS + ELEMENT * i)
  }
  for (let i = 0; i < KEY_MULTIPLES; i++) {
    multiply(MULTIPLES_BETA + AFFINE * i, MULTIPLES + AFFINE * i, BETA)
    copy(MULTIPLES_BETA + AFFINE * i + 36, MULTIPLES + AFFINE * i + 36)
  }
}

function storeMultiple(out: usize): void {
  copy(out, SUM)
  copy(out + 36, SUM_Y)
}

/** The entry of an odd digit; its y, negated for a negative digit, goes to SIGNED_Y. */
@inline
function pick(table: usize, digit: i32): usize {
  const entry = table + AFFINE * ((abs(digit) - 1) >> 1)
  if (digit < 0) negate(SIGNED_Y, entry + 36)
  else copy(SIGNED_Y, entry + 36)
  return entry
}

function addKey(table: usize, digit: i32): void {
  const x = pick(table, digit)
  if (!sumIsInfinite) return add(x, SIGNED_Y, SUM_Z)
  copy(SUM, x)
  copy(SUM_Y, SIGNED_Y)
  setSmall(SUM_Z, 1)
  sumIsInfinite = false
}

/** A table point is affine on secp256k1, so it is added at Z * COMMON_Z. */
function addGenerator(table: usize, digit: i32): void {
  const x = pick(table, digit)
  if (!sumIsInfinite) {
    multiply(SCALED_Z, SUM_Z, COMMON_Z)
    return add(x, SIGNED_Y, SCALED_Z)
  }
  square(T0, COMMON_Z)
  multiply(SUM, x, T0)
  multiply(T0, T0, COMMON_Z)
  multiply(SUM_Y, SIGNED_Y, T0)
  setSmall(SUM_Z, 1)
  sumIsInfinite = false
}

/** SUM = 2 * SUM: 3 multiplications and 4 squarings; no reduction between products and sums. */
function double(): void {
  if (sumIsInfinite) return
  squareBy3(T4, SUM)
  square(T1, SUM_Y)
  multiplyBy4(T3, SUM, T1)
  square(T2, T1)
  multiplyBy2(SUM_Z, SUM_Y, SUM_Z)
  squareMinus2(SUM, T4, T3)
  subtract(T0, T3, SUM)
  multiplyMinus8(SUM_Y, T0, T4, T2)
}

/** SUM += (x, y), a point that is affine on the curve on which SUM has the Z coordinate `z`. */
function add(x: usize, y: usize, z: usize): void {
  compare(x, y, z)
  if (isZeroModPrime(T1)) {
    if (isZeroModPrime(T2)) double()
    else sumIsInfinite = true
    return
  }
  addCompared()
}

/** T1 = x * z^2 - X and T2 = y * z^3 - Y. Both are zero if the points are equal. */
@inline
function compare(x: usize, y: usize, z: usize): void {
  square(T0, z)
  multiplyMinus(T1, T0, x, SUM)
  multiply(T0, T0, z)
  multiplyMinus(T2, T0, y, SUM_Y)
}

/** Completes the addition from T1 and T2. */
function addCompared(): void {
  multiply(SUM_Z, SUM_Z, T1)
  square(T3, T1)
  multiply(T4, T3, T1)
  multiply(T5, SUM, T3)
  squareMinusMinus2(SUM, T2, T4, T5)
  subtract(T5, T5, SUM)
  negate(T4, T4)
  multiplyPair(SUM_Y, T5, T2, T4, SUM_Y)
}

/** For a result of multiplyMinus: it is slightly above 2^256 at most, so zero is 0 or p. */
@inline
function isZeroModPrime(a: usize): bool {
  const low = load<u32>(a)
  if (low != 0 && low != load<u32>(PRIME)) return false
  copy(T7, a)
  normalize(T7)
  return isZero(T7)
}

/** Reduces the result of a multiplication to [0, p). */
export function normalize(a: usize): void {
  carry(a)
  for (let over: u64 = load<u32>(a, 32) >> 24; over != 0; over = load<u32>(a, 32) >> 24) {
    // 2^256 = 2^32 + 977, and 2^32 is eight times limb 1.
    store<u32>(a, load<u32>(a, 32) & 0xffffff, 32)
    let rest: u64 = (load<u32>(a) as u64) + over * 977
    store<u32>(a, rest & 0x1fffffff)
    rest = (rest >> 29) + (load<u32>(a, 4) as u64) + (over << 3)
    store<u32>(a, rest & 0x1fffffff, 4)
    store<u32>(a, load<u32>(a, 8) + ((rest >> 29) as u32), 8)
    carry(a)
  }
  reduceOnce(a, PRIME)
}

/** out = a^((p + 1) / 4), a root of `a` if it has one: 253 squarings and 13 multiplications. */
function squareRoot(out: usize, a: usize): void {
  // Tn holds a^(2^n - 1), built up by its run of ones: the exponent is 223 ones, a zero, 22 ones, ...
  const ones2 = T1
  const ones3 = T2
  const ones22 = T3
  const ones44 = T4
  const ones88 = T5
  squareTimes(out, a, 1)
  multiply(ones2, out, a)
  squareTimes(out, ones2, 1)
  multiply(ones3, out, a)
  squareTimes(out, ones3, 3)
  multiply(out, out, ones3)
  squareTimes(out, out, 3)
  multiply(out, out, ones3)
  squareTimes(out, out, 2)
  multiply(ones22, out, ones2)
  squareTimes(out, ones22, 11)
  multiply(ones22, out, ones22)
  squareTimes(out, ones22, 22)
  multiply(ones44, out, ones22)
  squareTimes(out, ones44, 44)
  multiply(ones88, out, ones44)
  squareTimes(out, ones88, 88)
  multiply(out, out, ones88)
  squareTimes(out, out, 44)
  multiply(out, out, ones44)
  squareTimes(out, out, 3)
  multiply(out, out, ones3)
  squareTimes(out, out, 23)
  multiply(out, out, ones22)
  squareTimes(out, out, 6)
  multiply(out, out, ones2)
  squareTimes(out, out, 2)
}

function squareTimes(out: usize, a: usize, times: i32): void {
  square(out, a)
  for (let i = 1; i < times; i++) square(out, out)
}
