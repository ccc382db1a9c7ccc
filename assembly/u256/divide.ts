import {
  DIVIDEND,
  DIVIDEND_MAGNITUDE,
  DIVISOR_MAGNITUDE,
  QUOTIENT,
  SHIFTED_DIVISOR,
} from '../layout'
import { multiplyHigh } from './multiply'
import { shiftRightBits } from './shift'
import {
  addWords,
  bitLength,
  copyWord,
  fitsLimb,
  isLess,
  isPowerOfTwo,
  isZero,
  negateWord,
  setWord,
  subtractWords,
} from './word'

function countDigits(at: usize, digits: i32): i32 {
  while (digits > 0 && load<u32>(at + (usize(digits - 1) << 2)) == 0) digits--
  return digits
}

/**
 * The last divisor of one limb, shifted until its top bit is set, and its reciprocal. Most code has one or two such
 * divisors.
 */
let lastLimb: u64 = 0
let lastReciprocal: u64 = 0

/** Returns a digit of the quotient (head, next) / limb, for head <= limb and a `limb` with its top bit set. */
@inline
function estimateDigit(head: u64, next: u64, limb: u64): u64 {
  const top = limb >> 32
  const second = limb & 0xffffffff
  let digit = head / top
  let rest = head - digit * top
  while (digit > 0xffffffff || digit * second > ((rest << 32) | next)) {
    digit--
    rest += top
    if (rest > 0xffffffff) break
  }
  return digit
}

/** Returns floor((2^128 - 1) / limb) - 2^64 for a `limb` with its top bit set. */
function reciprocalOf(limb: u64): u64 {
  if (limb == lastLimb) return lastReciprocal
  const head = ~limb
  const high = estimateDigit(head, 0xffffffff, limb)
  const rest = ((head << 32) | 0xffffffff) - high * limb
  lastLimb = limb
  lastReciprocal = (high << 32) | estimateDigit(rest, 0xffffffff, limb)
  return lastReciprocal
}

/**
 * `divideDigits` for a divisor of one limb, by its reciprocal: Moller and Granlund, Improved division by invariant
 * integers, algorithm 4.
 */
function divideByLimb(limbs: i32, divisor: u64): void {
  const shift = clz(divisor)
  const limb = divisor << shift
  const reciprocal = reciprocalOf(limb)
  while (limbs > 1 && load<u64>(DIVIDEND + (usize(limbs - 1) << 3)) == 0) {
    store<u64>(QUOTIENT + (usize(--limbs) << 3), 0)
  }
  // Two shifts, as a shift by 64 is a shift by 0
  const back = 63 - shift
  let next = load<u64>(DIVIDEND + (usize(limbs - 1) << 3))
  let rest = (next >> 1) >> back
  for (let i = limbs - 1; i >= 0; i--) {
    const value = next
    next = i == 0 ? 0 : load<u64>(DIVIDEND + (usize(i - 1) << 3))
    const low = (value << shift) | ((next >> 1) >> back)
    const product = reciprocal * rest
    const sum = product + low
    let quotient = multiplyHigh(reciprocal, rest) + rest + u64(sum < product) + 1
    rest = low - quotient * limb
    if (rest > sum) {
      quotient--
      rest += limb
    }
    if (rest >= limb) {
      quotient++
      rest -= limb
    }
    store<u64>(QUOTIENT + (usize(i) << 3), quotient)
    store<u64>(DIVIDEND + (usize(i) << 3), 0)
  }
  store<u64>(DIVIDEND, rest >> shift)
}

/**
 * Divides the `digits` digits at DIVIDEND, followed by a zero half limb, by the non-zero word at `divisor`. Leaves
 * the remainder at DIVIDEND and the quotient's digits at QUOTIENT. Knuth, volume 2, 4.3.1, algorithm D, base 2^32.
 */
export function divideDigits(digits: i32, divisor: usize): void {
  if (fitsLimb(divisor)) return divideByLimb((digits + 1) >> 1, load<u64>(divisor))
  const m = countDigits(DIVIDEND, digits)
  const n = countDigits(divisor, 8)
  for (let at = QUOTIENT; at < QUOTIENT + 72; at += 8) store<u64>(at, 0)
  if (m < n) return
  // D1: shift so that the divisor's top digit has its top bit set
  const shift = u64(clz(load<u32>(divisor + (usize(n - 1) << 2))))
  let carry: u64 = 0
  for (let i = 0; i < n; i++) {
    const at = usize(i) << 2
    const value = (u64(load<u32>(divisor + at)) << shift) | carry
    store<u32>(SHIFTED_DIVISOR + at, u32(value))
    carry = value >> 32
  }
  carry = 0
  for (let i = 0; i < m; i++) {
    const at = usize(i) << 2
    const value = (u64(load<u32>(DIVIDEND + at)) << shift) | carry
    store<u32>(DIVIDEND + at, u32(value))
    carry = value >> 32
  }
  store<u32>(DIVIDEND + (usize(m) << 2), u32(carry))
  const top = load<u64>(SHIFTED_DIVISOR + (usize(n - 2) << 2))
  for (let j = m - n; j >= 0; j--) {
    const at = DIVIDEND + (usize(j) << 2)
    const end = at + (usize(n) << 2)
    // D3: three digits by two; at most one too large. Two loads: the digits were stored singly
    const head = (u64(load<u32>(end)) << 32) | u64(load<u32>(end - 4))
    let digit = estimateDigit(head, u64(load<u32>(end - 8)), top)
    // D4: multiply and subtract
    let borrow: i64 = 0
    let high: u64 = 0
    for (let i: usize = 0; i < usize(n) << 2; i += 4) {
      const product = digit * u64(load<u32>(SHIFTED_DIVISOR + i)) + high
      high = product >> 32
      const value = i64(load<u32>(at + i)) - i64(product & 0xffffffff) + borrow
      store<u32>(at + i, u32(value))
      borrow = value >> 32
    }
    const last = i64(load<u32>(end)) - i64(high) + borrow
    store<u32>(end, u32(last))
    if (last < 0) {
      // D6: one too large: add back
      digit--
      let up: u64 = 0
      for (let i: usize = 0; i < usize(n) << 2; i += 4) {
        const value = u64(load<u32>(at + i)) + u64(load<u32>(SHIFTED_DIVISOR + i)) + up
        store<u32>(at + i, u32(value))
        up = value >> 32
      }
      store<u32>(end, u32(u64(load<u32>(end)) + up))
    }
    store<u32>(QUOTIENT + (usize(j) << 2), u32(digit))
  }
  // D8: shift the remainder back
  for (let i = 0; i < n; i++) {
    const at = DIVIDEND + (usize(i) << 2)
    const value = (u64(load<u32>(at, 4)) << 32) | u64(load<u32>(at))
    store<u32>(at, u32(value >> shift))
  }
  for (let i = n; i <= m; i++) store<u32>(DIVIDEND + (usize(i) << 2), 0)
}

/** a / b; zero if b is zero. */
export function divide(out: usize, a: usize, b: usize): void {
  if (fitsLimb(b) && fitsLimb(a)) {
    const divisor = load<u64>(b)
    setWord(out, divisor == 0 ? 0 : load<u64>(a) / divisor)
    return
  }
  // Code without SHR shifts by dividing
  if (isPowerOfTwo(b)) return shiftRightBits(out, u64(bitLength(b) - 1), a)
  if (isZero(b) || isLess(a, b)) return setWord(out, 0)
  copyWord(DIVIDEND, a)
  divideDigits(8, b)
  copyWord(out, QUOTIENT)
}

/** The bits of a below the single bit of b. */
function maskBelow(out: usize, a: usize, b: usize): void {
  setWord(SHIFTED_DIVISOR, 1)
  subtractWords(SHIFTED_DIVISOR, b, SHIFTED_DIVISOR)
  store<u64>(out, load<u64>(a) & load<u64>(SHIFTED_DIVISOR))
  store<u64>(out, load<u64>(a, 8) & load<u64>(SHIFTED_DIVISOR, 8), 8)
  store<u64>(out, load<u64>(a, 16) & load<u64>(SHIFTED_DIVISOR, 16), 16)
  store<u64>(out, load<u64>(a, 24) & load<u64>(SHIFTED_DIVISOR, 24), 24)
}

/** a mod b; zero if b is zero. */
export function modulo(out: usize, a: usize, b: usize): void {
  if (fitsLimb(b) && fitsLimb(a)) {
    const divisor = load<u64>(b)
    setWord(out, divisor == 0 ? 0 : load<u64>(a) % divisor)
    return
  }
  if (isZero(b)) return setWord(out, 0)
  if (isLess(a, b)) return copyWord(out, a)
  if (isPowerOfTwo(b)) return maskBelow(out, a, b)
  copyWord(DIVIDEND, a)
  // A hash modulo a prime of nearly its size
  if (load<u64>(a, 24) >> 3 < load<u64>(b, 24)) {
    while (!isLess(DIVIDEND, b)) subtractWords(DIVIDEND, DIVIDEND, b)
    return copyWord(out, DIVIDEND)
  }
  divideDigits(8, b)
  copyWord(out, DIVIDEND)
}

/** Signed division, truncating; -2^255 / -1 stays -2^255 (yellow paper, SDIV). */
export function divideSigned(out: usize, a: usize, b: usize): void {
  const negativeA = load<i64>(a, 24) < 0
  const negativeB = load<i64>(b, 24) < 0
  if (!negativeA && !negativeB) return divide(out, a, b)
  if (negativeA) negateWord(DIVIDEND_MAGNITUDE, a)
  else copyWord(DIVIDEND_MAGNITUDE, a)
  if (negativeB) negateWord(DIVISOR_MAGNITUDE, b)
  else copyWord(DIVISOR_MAGNITUDE, b)
  divide(out, DIVIDEND_MAGNITUDE, DIVISOR_MAGNITUDE)
  if (negativeA != negativeB) negateWord(out, out)
}

/** Signed remainder with the sign of the dividend. */
export function moduloSigned(out: usize, a: usize, b: usize): void {
  const negativeA = load<i64>(a, 24) < 0
  if (negativeA) negateWord(DIVIDEND_MAGNITUDE, a)
  else copyWord(DIVIDEND_MAGNITUDE, a)
  if (load<i64>(b, 24) < 0) negateWord(DIVISOR_MAGNITUDE, b)
  else copyWord(DIVISOR_MAGNITUDE, b)
  modulo(out, DIVIDEND_MAGNITUDE, DIVISOR_MAGNITUDE)
  if (negativeA) negateWord(out, out)
}

/** (a + b) mod n of the 257-bit sum; zero if n is zero. */
export function addModulo(out: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) return setWord(out, 0)
  let carry = addWords(DIVIDEND, a, b)
  // If both terms are reduced, the sum is below two moduli
  for (let i = 0; i < 2; i++) {
    const isSmall = isLess(DIVIDEND, n)
    if (carry == 0 && isSmall) return copyWord(out, DIVIDEND)
    if (isSmall) carry--
    subtractWords(DIVIDEND, DIVIDEND, n)
  }
  store<u64>(DIVIDEND, carry, 32)
  divideDigits(9, n)
  copyWord(out, DIVIDEND)
}
