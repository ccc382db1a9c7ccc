/**
 * The endomorphism of G1 (Gallant, Lambert, Vanstone, 2001): k = k1 + k2 * lambda modulo the order with both halves
 * below 2^129 in size; lambda * (x, y) = (BETA * x, y).
 *
 * The lattice of all (a, b) with a + b * lambda = 0 has the short basis (2u + 1, 6u^2 + 4u + 1) and (6u^2 + 2u, -(2u
 * + 1)). (k, 0) less its floors in that basis is (k1, k2). k need not be reduced.
 */
import { A1, A2, B1, FLOOR_1, FLOOR_2 } from '../generated/bn254-scalar'

/** Bits of the larger half. */
export const HALF_BITS: i32 = 129

/** 32-bit words in a half, with room for the sign during the computation. */
const HALF_WORDS: i32 = 5
const SCALAR_WORDS: i32 = 8

const PRODUCT: usize = memory.data(52)
const C1: usize = memory.data(20)
const C2: usize = memory.data(20)

/**
 * Writes the magnitudes of the halves of the scalar `k` (eight little-endian u32 words) to five words each. k1 is
 * never negative. Returns true if k2 is negative.
 */
export function splitScalar(k1: usize, k2: usize, k: usize): bool {
  multiplyHigh(C1, k, FLOOR_1)
  multiplyHigh(C2, k, FLOOR_2)
  memory.copy(k1, k, 4 * HALF_WORDS)
  subtractProduct(k1, C1, A1)
  subtractProduct(k1, C2, A2)

  // B2 is -A1.
  memory.fill(k2, 0, 4 * HALF_WORDS)
  subtractProduct(k2, C2, A1)
  negate(k2)
  subtractProduct(k2, C1, B1)
  if (load<i32>(k2, 4 * (HALF_WORDS - 1)) >= 0) return false
  negate(k2)
  return true
}

/** out = k * ratio / 2^256, rounded down; `ratio` has five words. */
function multiplyHigh(out: usize, k: usize, ratio: usize): void {
  memory.fill(PRODUCT, 0, 52)
  for (let i: usize = 0; i < 4 * SCALAR_WORDS; i += 4) {
    const word: u64 = load<u32>(k + i)
    let carry: u64 = 0
    for (let j: usize = 0; j < 4 * HALF_WORDS; j += 4) {
      carry += word * (load<u32>(ratio + j) as u64) + (load<u32>(PRODUCT + i + j) as u64)
      store<u32>(PRODUCT + i + j, carry as u32)
      carry >>= 32
    }
    store<u32>(PRODUCT + i + 4 * HALF_WORDS, carry as u32)
  }
  memory.copy(out, PRODUCT + 4 * SCALAR_WORDS, 4 * HALF_WORDS)
}

/** out -= a * b modulo 2^160 */
function subtractProduct(out: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < 4 * HALF_WORDS; i += 4) {
    const word: u64 = load<u32>(a + i)
    let carry: u64 = 0
    let borrow: i64 = 0
    for (let j: usize = 0; i + j < 4 * HALF_WORDS; j += 4) {
      carry += word * (load<u32>(b + j) as u64)
      borrow += (load<u32>(out + i + j) as i64) - ((carry & 0xffffffff) as i64)
      store<u32>(out + i + j, borrow as u32)
      carry >>= 32
      borrow >>= 32
    }
  }
}

/** a = -a modulo 2^160 */
function negate(a: usize): void {
  let borrow: i64 = 0
  for (let i: usize = 0; i < 4 * HALF_WORDS; i += 4) {
    borrow -= load<u32>(a + i) as i64
    store<u32>(a + i, borrow as u32)
    borrow >>= 32
  }
}
