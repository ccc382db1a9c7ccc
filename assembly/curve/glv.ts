/**
 * The endomorphism of secp256k1 (Gallant, Lambert, Vanstone, 2001): k = k1 + k2 * lambda modulo the order with both
 * halves below 2^129 in size; lambda * (x, y) = (BETA * x, y).
 */

import {
  B2_OVER_ORDER,
  HALF_ORDER,
  MINUS_B1,
  MINUS_B1_OVER_ORDER,
  MINUS_B2,
  MINUS_LAMBDA,
  ORDER,
  scalarMultiply,
} from './generated/secp256k1-field'
import { add, ELEMENT, isLess, LIMB_BITS, LIMBS, reduceOnce, repack, subtract } from './limbs'

const WORDS: usize = memory.data(32)
const PRODUCT: usize = memory.data(64)
const C1: usize = memory.data(ELEMENT)
const C2: usize = memory.data(ELEMENT)

/** Bits of the larger half. */
export const HALF_BITS: i32 = 129

/** Writes the magnitudes of the halves. In the result, bit 0 means that k1 is negative, bit 1 that k2 is. */
export function splitScalar(k1: usize, k2: usize, k: usize): i32 {
  // c1 = round(b2 * k / n) and c2 = round(-b1 * k / n), so k2 = -c1 * b1 - c2 * b2.
  repack(WORDS, 32, 8, k, LIMB_BITS, LIMBS)
  multiplyHigh(C1, B2_OVER_ORDER)
  multiplyHigh(C2, MINUS_B1_OVER_ORDER)
  multiplyReduced(C1, C1, MINUS_B1)
  multiplyReduced(C2, C2, MINUS_B2)
  add(k2, C1, C2)
  reduceOnce(k2, ORDER)

  multiplyReduced(k1, k2, MINUS_LAMBDA)
  add(k1, k1, k)
  reduceOnce(k1, ORDER)
  return takeSign(k1) | (takeSign(k2) << 1)
}

/** out = a * factor modulo the order, `factor` in Montgomery form. */
function multiplyReduced(out: usize, a: usize, factor: usize): void {
  scalarMultiply(out, a, factor)
  reduceOnce(out, ORDER)
}

/** Replaces k by n - k if that is smaller, and returns 1 in that case. */
function takeSign(k: usize): i32 {
  if (!isLess(HALF_ORDER, k)) return 0
  subtract(k, ORDER, k)
  return 1
}

/** out = WORDS * ratio / 2^384, rounded to nearest. */
function multiplyHigh(out: usize, ratio: usize): void {
  memory.fill(PRODUCT, 0, 64)
  for (let i: usize = 0; i < 32; i += 4) {
    const word: u64 = load<u32>(WORDS + i)
    let carry: u64 = 0
    for (let j: usize = 0; j < 32; j += 4) {
      carry += word * (load<u32>(ratio + j) as u64) + (load<u32>(PRODUCT + i + j) as u64)
      store<u32>(PRODUCT + i + j, carry as u32)
      carry >>= 32
    }
    store<u32>(PRODUCT + i + 32, carry as u32)
  }
  let carry: u64 = load<u32>(PRODUCT, 44) >> 31
  for (let i: usize = 48; i < 64; i += 4) {
    carry += load<u32>(PRODUCT + i)
    store<u32>(PRODUCT + i, carry as u32)
    carry >>= 32
  }
  repack(out, LIMB_BITS, LIMBS, PRODUCT + 48, 32, 4)
}
