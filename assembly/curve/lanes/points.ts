/**
 * Affine points of secp256k1, one per signature of a batch, in quads. A step doubles all of them, adds one point to
 * each, or both. All share the inversion that the slopes need. A point then costs five products and one or two
 * squares; a mixed addition in Jacobian coordinates costs seven and four.
 *
 * Such formulas fail if a denominator is zero: for the sum of a point and itself or its negative. Such a point is
 * marked in `spoilt` and continues with a meaningless value; all others stay right.
 */
import {
  MINUS_TWO,
  multiply,
  multiplyMinus,
  square,
  squareMinus,
  THREE_HALVES,
} from '../generated/secp256k1-lanes'
import {
  addQuads,
  CAPACITY,
  copyQuad,
  LANES,
  putAll,
  QUAD,
  subtractQuads,
  subtractSigned,
} from './quad'
import { scaleInverses, shareInverse, takeInverse } from './shared-inverse'

const QUADS: i32 = CAPACITY / LANES

/** Bytes of four points: a quad of x, a quad of y. */
export const POINTS: i32 = 2 * QUAD

/** The points to add: x, and y before the signs of `signs` apply. */
export const addends: usize = memory.data(QUADS * POINTS, 16)
/** A vector for each quad: -1 in the lane of a point to subtract, 0 in the lane of one to add. */
export const signs: usize = memory.data(QUADS * 16, 16)

const NUMERATORS: usize = memory.data(QUADS * QUAD, 16)
const DENOMINATORS: usize = memory.data(QUADS * QUAD, 16)

const DOUBLE_FACTOR: usize = memory.data(QUAD, 16)
const SECOND_FACTOR: usize = memory.data(QUAD, 16)
const INVERSE: usize = memory.data(QUAD, 16)
const SLOPE: usize = memory.data(QUAD, 16)
const SUM: usize = memory.data(QUAD, 16)
const X: usize = memory.data(QUAD, 16)

/** Must be called once, before anything else here. */
export function makeFactors(): void {
  putAll(DOUBLE_FACTOR, THREE_HALVES)
  putAll(SECOND_FACTOR, MINUS_TWO)
}

/** Doubles the points of `count` quads, which are `stride` bytes apart. */
export function doubleEach(
  out: usize,
  outStride: i32,
  points: usize,
  stride: i32,
  count: i32,
): void {
  shareInverse(points + QUAD, stride, count, 0, 0)
  finishDoubling(out, outStride, points, stride, count)
}

/** Adds the addends to the points of `count` quads, or subtracts them according to their signs. */
export function addEach(out: usize, outStride: i32, points: usize, stride: i32, count: i32): void {
  compare(points, stride, count)
  shareInverse(DENOMINATORS, QUAD, count, 0, 0)
  finishSums(out, outStride, points, stride, count, 0)
}

/** Doubles the points of `count` quads and adds the addends to others, with one inversion. */
export function doubleAndAdd(
  doubles: usize,
  points: usize,
  sums: usize,
  others: usize,
  stride: i32,
  count: i32,
): void {
  compare(others, stride, count)
  shareInverse(points + QUAD, stride, count, DENOMINATORS, count)
  finishSums(sums, stride, others, stride, count, count)
  finishDoubling(doubles, stride, points, stride, count)
}

/**
 * P = 2 * P + Q for the points of `count` quads and the addends, computed as (P + Q) + P without the y of the
 * intermediate sum (Eisentraeger, Lauter, Montgomery, "Fast elliptic curve arithmetic and improved Weil pairing
 * evaluation", 2003): nine products and two squares.
 */
export function doublePlus(points: usize, count: i32): void {
  compare(points, POINTS, count)
  shareInverse(DENOMINATORS, QUAD, count, 0, 0)
  for (let i = count - 1; i >= 0; i--) {
    const x = points + i * POINTS
    const slope = NUMERATORS + i * QUAD
    const denominator = DENOMINATORS + i * QUAD
    takeInverse(INVERSE, i, denominator)
    multiply(slope, slope, INVERSE)
    addQuads(SUM, x, addends + i * POINTS)
    squareMinus(X, slope, SUM)
    subtractQuads(denominator, X, x)
  }
  shareInverse(DENOMINATORS, QUAD, count, 0, 0)
  scaleInverses(SECOND_FACTOR)
  for (let i = count - 1; i >= 0; i--) {
    const x = points + i * POINTS
    const denominator = DENOMINATORS + i * QUAD
    takeInverse(INVERSE, i, denominator)
    multiplyMinus(SLOPE, x + QUAD, INVERSE, NUMERATORS + i * QUAD)
    // The x of P and of P + Q. The denominator is their difference.
    addQuads(SUM, x, x)
    addQuads(SUM, SUM, denominator)
    finishPoint(x, x, x + QUAD)
  }
}

/** Computes the slopes from the points of `count` quads to the addends, as fractions. */
function compare(points: usize, stride: i32, count: i32): void {
  for (let i = 0; i < count; i++) {
    const x = points + i * stride
    const addend = addends + i * POINTS
    subtractQuads(DENOMINATORS + i * QUAD, addend, x)
    subtractSigned(NUMERATORS + i * QUAD, addend + QUAD, x + QUAD, signs + 16 * i)
  }
}

/** Computes the sums with the addends. The inverse of the first is the one at `from`. */
function finishSums(
  out: usize,
  outStride: i32,
  points: usize,
  stride: i32,
  count: i32,
  from: i32,
): void {
  for (let i = count - 1; i >= 0; i--) {
    const x = points + i * stride
    takeInverse(INVERSE, from + i, DENOMINATORS + i * QUAD)
    multiply(SLOPE, NUMERATORS + i * QUAD, INVERSE)
    addQuads(SUM, x, addends + i * POINTS)
    finishPoint(out + i * outStride, x, x + QUAD)
  }
}

function finishDoubling(out: usize, outStride: i32, points: usize, stride: i32, count: i32): void {
  scaleInverses(DOUBLE_FACTOR)
  for (let i = count - 1; i >= 0; i--) {
    const x = points + i * stride
    takeInverse(INVERSE, i, x + QUAD)
    // The inverse is that of 2y / 3.
    square(SLOPE, x)
    multiply(SLOPE, SLOPE, INVERSE)
    addQuads(SUM, x, x)
    finishPoint(out + i * outStride, x, x + QUAD)
  }
}

/** x' = SLOPE^2 - SUM, y' = SLOPE * (x - x') - y. */
@inline
function finishPoint(out: usize, x: usize, y: usize): void {
  squareMinus(X, SLOPE, SUM)
  subtractQuads(SUM, x, X)
  multiplyMinus(out + QUAD, SLOPE, SUM, y)
  copyQuad(out, X)
}
