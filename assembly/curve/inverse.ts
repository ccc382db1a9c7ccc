/**
 * Modular inverse by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular inversion",
 * 2019), thirty steps at a time on signed 30-bit limbs. Variable time, so for public values only.
 */
import { LIMB_BITS, LIMBS, repack } from './limbs'

const BITS: i32 = 30
const MASK: i32 = (1 << BITS) - 1
/** Limbs of the widest modulus (381 bits). */
const CAPACITY: i32 = 13

// f and g run down to gcd = +-1 and 0, while f = d * value and g = e * value modulo the modulus.
const F: usize = memory.data(4 * CAPACITY)
const G: usize = memory.data(4 * CAPACITY)
const D: usize = memory.data(4 * CAPACITY)
const E: usize = memory.data(4 * CAPACITY)

/** Thirty steps as one matrix over 2^30: f' = u * f + v * g, g' = q * f + r * g. */
const MATRIX: usize = memory.data(16)

/**
 * out = 1 / a, for reduced, non-zero `a`. `modulus` is the nine 30-bit limbs of an odd prime, then its inverse modulo
 * 2^30.
 */
export function invert(out: usize, a: usize, modulus: usize): void {
  repack(G, BITS, LIMBS, a, LIMB_BITS, LIMBS)
  reduceToOne(modulus, LIMBS)
  repack(out, LIMB_BITS, LIMBS, D, BITS, LIMBS)
}

/** Inverts a number of `count` 30-bit limbs, at most 13. */
export function invertLimbs(out: usize, a: usize, modulus: usize, count: i32): void {
  memory.copy(G, a, 4 * count)
  reduceToOne(modulus, count)
  memory.copy(out, D, 4 * count)
}

/** Leaves the inverse of G in D. */
function reduceToOne(modulus: usize, count: i32): void {
  memory.copy(F, modulus, 4 * count)
  memory.fill(D, 0, 4 * count)
  memory.fill(E, 0, 4 * count)
  store<i32>(E, 1)

  let eta: i32 = -1
  let length = count
  while (true) {
    eta = divide(eta)
    applyToCofactors(modulus, count)
    applyToPair(length)
    if (isZero(length)) break
    length = shorten(length)
  }
  normalize(modulus, load<i32>(F + 4 * (length - 1)) >> 31, count)
}

@inline
function limb(a: usize, i: i32): i64 {
  return load<i32>(a + 4 * i) as i64
}

/** Runs thirty division steps on the low limbs of f and g, writes MATRIX, and returns the new eta. */
function divide(eta: i32): i32 {
  let u: i32 = 1
  let v: i32 = 0
  let q: i32 = 0
  let r: i32 = 1
  let f = load<u32>(F) | (load<u32>(F, 4) << BITS)
  let g = load<u32>(G) | (load<u32>(G, 4) << BITS)
  let left = BITS
  while (true) {
    // Halve g while it is even, but at most `left` times: the mask makes the bits from there on ones.
    const zeros = ctz<u32>(g | (0xffffffff << left)) as i32
    g >>= zeros
    u <<= zeros
    v <<= zeros
    eta -= zeros
    left -= zeros
    if (left == 0) break

    // g += w * f clears several low bits of g at once, as many as eta and the remaining steps allow.
    let w: u32
    if (eta < 0) {
      eta = -eta
      let swap: i32 = f as i32
      f = g
      g = -swap
      swap = u
      u = q
      q = -swap
      swap = v
      v = r
      r = -swap
      // -g / f modulo 64, since f * (f^2 - 2) is the negated inverse of f to six bits.
      w = (f * g * (f * f - 2)) & clearable(eta, left, 63)
    } else {
      // -g / f modulo 16.
      w = f + (((f + 1) & 4) << 1)
      w = (-w * g) & clearable(eta, left, 15)
    }
    g += f * w
    q += u * (w as i32)
    r += v * (w as i32)
  }
  store<i32>(MATRIX, u)
  store<i32>(MATRIX, v, 4)
  store<i32>(MATRIX, q, 8)
  store<i32>(MATRIX, r, 12)
  return eta
}

@inline
function clearable(eta: i32, left: i32, limit: u32): u32 {
  return ((0xffffffff as u32) >> (32 - min(eta + 1, left))) & limit
}

/** (d, e) = MATRIX * (d, e) / 2^30 modulo the modulus, kept between -2 * modulus and modulus. */
function applyToCofactors(modulus: usize, count: i32): void {
  const top = count - 1
  const u = limb(MATRIX, 0)
  const v = limb(MATRIX, 1)
  const q = limb(MATRIX, 2)
  const r = limb(MATRIX, 3)
  const inverse = load<u32>(modulus + 4 * count)
  const dSign = limb(D, top) >> 31
  const eSign = limb(E, top) >> 31

  let d = limb(D, 0)
  let e = limb(E, 0)
  let dSum = u * d + v * e
  let eSum = q * d + r * e
  // The multiples of the modulus to add: they compensate for negative inputs and clear 30 bits.
  let dTimes = ((u & dSign) + (v & eSign)) as i32
  let eTimes = ((q & dSign) + (r & eSign)) as i32
  dTimes -= (inverse * (dSum as u32) + (dTimes as u32)) & MASK
  eTimes -= (inverse * (eSum as u32) + (eTimes as u32)) & MASK
  const dFactor = dTimes as i64
  const eFactor = eTimes as i64

  let m = limb(modulus, 0)
  dSum = (dSum + m * dFactor) >> BITS
  eSum = (eSum + m * eFactor) >> BITS
  for (let i = 1; i < count; i++) {
    d = limb(D, i)
    e = limb(E, i)
    m = limb(modulus, i)
    dSum += u * d + v * e + m * dFactor
    eSum += q * d + r * e + m * eFactor
    store<i32>(D + 4 * (i - 1), (dSum as i32) & MASK)
    store<i32>(E + 4 * (i - 1), (eSum as i32) & MASK)
    dSum >>= BITS
    eSum >>= BITS
  }
  store<i32>(D + 4 * top, dSum as i32)
  store<i32>(E + 4 * top, eSum as i32)
}

/** (f, g) = MATRIX * (f, g) / 2^30, which is exact. */
function applyToPair(length: i32): void {
  const u = limb(MATRIX, 0)
  const v = limb(MATRIX, 1)
  const q = limb(MATRIX, 2)
  const r = limb(MATRIX, 3)
  let f = limb(F, 0)
  let g = limb(G, 0)
  let fSum = (u * f + v * g) >> BITS
  let gSum = (q * f + r * g) >> BITS
  for (let i = 1; i < length; i++) {
    f = limb(F, i)
    g = limb(G, i)
    fSum += u * f + v * g
    gSum += q * f + r * g
    store<i32>(F + 4 * (i - 1), (fSum as i32) & MASK)
    store<i32>(G + 4 * (i - 1), (gSum as i32) & MASK)
    fSum >>= BITS
    gSum >>= BITS
  }
  store<i32>(F + 4 * (length - 1), fSum as i32)
  store<i32>(G + 4 * (length - 1), gSum as i32)
}

/** Returns true if g is zero. */
function isZero(length: i32): bool {
  let bits: i32 = 0
  for (let i = 0; i < length; i++) bits |= load<i32>(G + 4 * i)
  return bits == 0
}

/** Drops the top limbs of f and g when both hold only the sign. */
function shorten(length: i32): i32 {
  if (length < 2) return length
  const f = load<i32>(F + 4 * (length - 1))
  const g = load<i32>(G + 4 * (length - 1))
  if ((f ^ (f >> 31)) != 0 || (g ^ (g >> 31)) != 0) return length
  const below = 4 * (length - 2)
  store<i32>(F + below, load<i32>(F + below) | (f << BITS))
  store<i32>(G + below, load<i32>(G + below) | (g << BITS))
  return length - 1
}

/** Brings d into [0, modulus), negated if f ended at -1 (`sign` = -1). */
function normalize(modulus: usize, sign: i32, count: i32): void {
  const top = count - 1
  for (let pass = 0; pass < 2; pass++) {
    const addend = limb(D, top) >> 31
    let sum: i64 = 0
    for (let i = 0; i < count; i++) {
      const value = limb(D, i) + (limb(modulus, i) & addend)
      sum += (value ^ (sign as i64)) - (sign as i64)
      store<i32>(D + 4 * i, i < top ? (sum as i32) & MASK : (sum as i32))
      sum >>= BITS
    }
    sign = 0
  }
}
