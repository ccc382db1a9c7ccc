/**
 * One inversion for the denominators of a whole step (Montgomery, "Speeding the Pollard and elliptic curve
 * methods of factorization", 1987): three products for each quad, and for the quad of their products one
 * inversion of one element.
 */
import { PRIME_INVERSE } from '../generated/secp256k1-field'
import { multiply } from '../generated/secp256k1-lanes'
import { invert } from '../inverse'
import { ELEMENT, isZero, setSmall } from '../limbs'
import { CAPACITY, copyQuad, LANES, putAll, putLane, QUAD, takeLane } from './quad'

/** Denominators of a step, at most: two for each point. */
const DENOMINATORS: i32 = (2 * CAPACITY) / LANES

/** A byte for each point: 1 for one that met a denominator of zero. */
export const spoilt: usize = memory.data(CAPACITY)

/** Products of the denominators before each. */
const PREFIXES: usize = memory.data(DENOMINATORS * QUAD, 16)
/** The product of all, then the inverse of the product of those that are still to be taken. */
const RUNNING: usize = memory.data(QUAD, 16)
const SWAPPED: usize = memory.data(QUAD, 16)
const PAIRS: usize = memory.data(QUAD, 16)
const OTHERS: usize = memory.data(QUAD, 16)
const VALUE: usize = memory.data(ELEMENT)

/**
 * Inverts the denominators of `count` quads, `stride` bytes from one to the next, and of `moreCount` quads at
 * `more` in a row. Those that are zero are made one, and their points spoilt. Their inverses have to be taken
 * from the last to the first.
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

/** Multiplies the inverses that are still to be taken. */
@inline
export function scaleInverses(factor: usize): void {
  multiply(RUNNING, RUNNING, factor)
}

/** out = 1 / the denominator of quad `i`, the last of those not taken yet. */
@inline
export function takeInverse(out: usize, i: i32, denominator: usize): void {
  if (i == 0) return copyQuad(out, RUNNING)
  multiply(out, RUNNING, PREFIXES + i * QUAD)
  multiply(RUNNING, RUNNING, denominator)
}

/** Multiplies RUNNING by the denominators, lane by lane; `taken` are in it. */
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

/** Inverts the lanes of RUNNING; false when one of them is zero. */
function invertRunning(): bool {
  swapLanes(SWAPPED, RUNNING)
  multiply(PAIRS, RUNNING, SWAPPED)
  swapHalves(OTHERS, PAIRS)
  multiply(PAIRS, PAIRS, OTHERS)
  takeLane(VALUE, PAIRS, 0)
  if (isZero(VALUE)) return false
  invert(VALUE, VALUE, PRIME_INVERSE)
  // The inverse of a lane is that of all, times the three others.
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
