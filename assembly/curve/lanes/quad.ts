/**
 * Four elements of secp256k1's field at a time, in the layout of generated/secp256k1-lanes.ts: moves elements in and
 * out of the lanes, and everything that needs no product.
 */

import { TWICE_PRIME } from '../generated/secp256k1-lanes'
import { carry, copy, ELEMENT, LIMB_BITS, LIMBS, repack } from '../limbs'
import { normalize } from '../secp256k1'

/** Most signatures of a batch. */
export const CAPACITY: i32 = 512

/** Elements in a quad. */
export const LANES: i32 = 4

/** Bytes of a quad: ten vectors. */
export const QUAD: i32 = 160

const VECTOR: i32 = 16
const HALF_LIMBS: i32 = 20
const HALF_BITS: i32 = 13
const HALF_MASK: i16 = 0x1fff

const NARROW: usize = memory.data(4 * HALF_LIMBS)
const WIDE: usize = memory.data(ELEMENT)

@inline
export function copyQuad(out: usize, a: usize): void {
  for (let at = 0; at < QUAD; at += VECTOR) v128.store(out + at, v128.load(a + at))
}

/** out = a - b, not carried: usable as an operand of products, but not of another difference. */
@inline
export function subtractQuads(out: usize, a: usize, b: usize): void {
  for (let at = 0; at < QUAD; at += VECTOR) {
    v128.store(out + at, i16x8.sub(v128.load(a + at), v128.load(b + at)))
  }
}

/** out = a + b, for subtraction in the columns of a product. */
@inline
export function addQuads(out: usize, a: usize, b: usize): void {
  for (let at = 0; at < QUAD; at += VECTOR) {
    v128.store(out + at, i16x8.add(v128.load(a + at), v128.load(b + at)))
  }
}

/** out = a - b if the 32-bit lane of the vector `signs` is 0, -a - b if it is -1; carried once. */
export function subtractSigned(out: usize, a: usize, b: usize, signs: usize): void {
  const sign = v128.load(signs)
  const mask = i16x8.splat(HALF_MASK)
  let carries = i16x8.splat(0)
  for (let at = 0; at < QUAD; at += VECTOR) {
    const signed = i16x8.sub(v128.xor(v128.load(a + at), sign), sign)
    const limbs = i16x8.sub(signed, v128.load(b + at))
    const over = i16x8.shr_s(limbs, HALF_BITS)
    // The low limb of a pair takes the carry of the previous pair, the high limb that of the low one.
    const into = v128.or(i32x4.shr_u(carries, 16), i32x4.shl(over, 16))
    // The top limb keeps what is above 13 bits.
    const kept = at == QUAD - VECTOR ? v128.or(mask, i32x4.splat(-0x10000)) : mask
    v128.store(out + at, i16x8.add(v128.and(limbs, kept), into))
    carries = over
  }
}

/** Writes the reduced element of a lane as nine limbs of 29 bits. */
export function takeLane(out: usize, quad: usize, lane: i32): void {
  let at = quad + 4 * lane
  // Limbs are signed. Adding twice the prime keeps every sum below non-negative.
  let pool: i64 = 0
  let pooled: i32 = 0
  let word: usize = 0
  for (let i = 0; i < HALF_LIMBS; i += 2) {
    pool += (load<i16>(at) as i64) << (pooled as i64)
    pool += (load<i16>(at, 2) as i64) << ((pooled + HALF_BITS) as i64)
    pooled += 2 * HALF_BITS
    at += VECTOR
    if (pooled < (LIMB_BITS as i32)) continue
    const sum = pool + (load<u32>(TWICE_PRIME + word) as i64)
    store<u32>(out + word, (sum & 0x1fffffff) as u32)
    pool = sum >> LIMB_BITS
    pooled -= LIMB_BITS
    word += 4
  }
  store<u32>(out, (pool + (load<u32>(TWICE_PRIME + 32) as i64)) as u32, 32)
  normalize(out)
}

/** Puts a scalar arithmetic result, below 2^257, into a lane. */
export function putLane(quad: usize, lane: i32, a: usize): void {
  copy(WIDE, a)
  carry(WIDE)
  repack(NARROW, HALF_BITS, HALF_LIMBS, WIDE, LIMB_BITS, LIMBS)
  let at = quad + 4 * lane
  for (let i: usize = 0; i < 4 * HALF_LIMBS; i += 8) {
    store<u16>(at, load<u32>(NARROW + i) as u16)
    store<u16>(at, load<u32>(NARROW + i, 4) as u16, 2)
    at += VECTOR
  }
}

/** Puts it into all lanes. */
export function putAll(quad: usize, a: usize): void {
  putLane(quad, 0, a)
  for (let at = 0; at < QUAD; at += VECTOR) v128.store(quad + at, v128.load32_splat(quad + at))
}

/** Copies one lane to another. */
export function copyLane(out: usize, outLane: i32, quad: usize, lane: i32): void {
  for (let at = 0; at < QUAD; at += VECTOR) {
    store<u32>(out + 4 * outLane + at, load<u32>(quad + 4 * lane + at))
  }
}
