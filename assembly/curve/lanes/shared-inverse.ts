/**
 * One inversion for the denominators of a whole step (Montgomery, "Speeding the Pollard and elliptic curve methods of
 * factorization", 1987): three products per quad, and for the quad of their products one inversion of one element.
 */
import { PRIME_INVERSE } from '../generated/secp256k1-field'
import { multiply } from '../generated/secp256k1-lanes'
import { invert } from '../inverse'
import { ELEMENT, isZero, setSmall } from '../limbs'
import { CAPACITY, copyQuad, LANES, putAll, putLane, QUAD, takeLane } from './quad'

/** Most denominators of a step: two per point. */
const DENOMINATORS: i32 = (2 * CAPACITY) / LANES

/** A byte for each point: 1 if it met a zero denominator. */
export const spoilt: usize = memory.data(CAPACITY)

/** For each denominator, the product of those before it. */
const PREFIXES: usize = memory.data(DENOMINATORS * QUAD, 16)
/** The product of all, then the inverse of the product of those not yet taken. */
const RUNNING: usize = memory.data(QUAD, 16)
const SWAPPED: usize = memory.data(QUAD, 16)
const PAIRS: usize = memory.data(QUAD, 16)
const OTHERS: usize = memory.data(QUAD, 16)
const VALUE: usize = memory.data(ELEMENT)

/**
 * Inverts the denominators of `count` quads, `stride` bytes apart, and of `moreCount` consecutive quads at `more`. A
 * zero denominator is replaced by one, and its point is marked as spoilt. Take the inverses from the last to the
 * first.
 */
export function shareInverse(
  denominators: usize,
  stride: i32,
  count: i32,
  more: usize,
  moreCount: i32,
): void {
  multiplyUp(denominators, stride, count, 0)
  multiplyUp(more, QUAD, moreCount, count)
  if (invertRunning()) return
  for (let i = 0; i < count; i++) replaceZeros(denominators + i * stride, i)
  for (let i = 0; i < moreCount; i++) replaceZeros(more + i * QUAD, i)
  multiplyUp(denominators, stride, count, 0)
  multiplyUp(more, QUAD, moreCount, count)
  invertRunning()
}

/** Multiplies the inverses not yet taken. */
@inline
export function scaleInverses(factor: usize): void {
  multiply(RUNNING, RUNNING, factor)
}

/** out = 1 / the denominator of quad `i`, the last one not yet taken. */
@inline
export function takeInverse(out: usize, i: i32, denominator: usize): void {
  if (i == 0) return copyQuad(out, RUNNING)
  multiply(out, RUNNING, PREFIXES + i * QUAD)
  multiply(RUNNING, RUNNING, denominator)
}

/** Multiplies RUNNING by the denominators, lane by lane. `taken` of them are already in it. */
function multiplyUp(denominators: usize, stride: i32, count: i32, taken: i32): void {
  for (let i = 0; i < count; i++) {
    const denominator = denominators + i * stride
    if (taken + i == 0) {
      copyQuad(RUNNING, denominator)
    } else {
      copyQuad(PREFIXES + (taken + i) * QUAD, RUNNING)
      multiply(RUNNING, RUNNING, denominator)
    }
  }
}

function replaceZeros(quad: usize, index: i32): void {
  for (let lane = 0; lane < LANES; lane++) {
    takeLane(VALUE, quad, lane)
    if (!isZero(VALUE)) continue
    setSmall(VALUE, 1)
    putLane(quad, lane, VALUE)
    store<u8>(spoilt + LANES * index + lane, 1)
  }
}

/** Inverts the lanes of RUNNING. Returns false if one of them is zero. */
function invertRunning(): bool {
  swapLanes(SWAPPED, RUNNING)
  multiply(PAIRS, RUNNING, SWAPPED)
  swapHalves(OTHERS, PAIRS)
  multiply(PAIRS, PAIRS, OTHERS)
  takeLane(VALUE, PAIRS, 0)
  if (isZero(VALUE)) return false
  invert(VALUE, VALUE, PRIME_INVERSE)
  // The inverse of a lane is that of the product of all, times the three others.
  multiply(OTHERS, OTHERS, SWAPPED)
  putAll(PAIRS, VALUE)
  multiply(RUNNING, PAIRS, OTHERS)
  return true
}

/** Lanes 1, 0, 3, 2. */
function swapLanes(out: usize, a: usize): void {
  for (let at = 0; at < QUAD; at += 16) {
    const lanes = v128.load(a + at)
    v128.store(out + at, v128.shuffle<i32>(lanes, lanes, 1, 0, 3, 2))
  }
}

/** Lanes 2, 3, 0, 1. */
function swapHalves(out: usize, a: usize): void {
  for (let at = 0; at < QUAD; at += 16) {
    const lanes = v128.load(a + at)
    v128.store(out + at, v128.shuffle<i32>(lanes, lanes, 2, 3, 0, 1))
  }
}
