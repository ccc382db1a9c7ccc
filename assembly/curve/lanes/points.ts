/**
 * Affine points of secp256k1, one for each signature of a batch, in quads. A step doubles all of them or
 * adds one to each: the inverses that the slopes need cost three products each and one inversion in all
 * (Montgomery, 1987), so a step is five products and one or two squares for a point, against seven
 * and four of a mixed addition in Jacobian coordinates.
 *
 * Such formulas fail where a denominator is zero: for the sum of a point and itself or its negative. The
 * point that meets this is marked in `spoilt` and goes on as any other value; all others stay right.
 */
import { multiply as multiplyOne, PRIME_INVERSE } from '../generated/secp256k1-field'
import {
  multiply,
  multiplyMinus,
  square,
  squareMinus,
  THREE_HALVES,
} from '../generated/secp256k1-lanes'
import { invert } from '../inverse'
import { ELEMENT, isZero, setSmall } from '../limbs'
import { normalize } from '../secp256k1'
import {
  addQuads,
  copyQuad,
  LANES,
  putLane,
  QUAD,
  subtractQuads,
  subtractSigned,
  takeLane,
} from './quad'

/** Points of a batch, at most. */
export const CAPACITY: i32 = 512
const QUADS: i32 = CAPACITY / LANES

/** Bytes of four points: a quad of x, a quad of y. */
export const POINTS: i32 = 2 * QUAD

/** What `addEach` adds: x, and y before the signs of `signsAt`. */
export const addends: usize = memory.data(QUADS * POINTS, 16)
/** For each quad a vector: in the lane of a point -1 where it is to be subtracted, 0 where added. */
export const signs: usize = memory.data(QUADS * 16, 16)
/** A byte for each point. */
export const spoilt: usize = memory.data(CAPACITY)

const NUMERATORS: usize = memory.data(QUADS * QUAD, 16)
const DENOMINATORS: usize = memory.data(QUADS * QUAD, 16)
/** Products of the denominators before each. */
const PREFIXES: usize = memory.data(QUADS * QUAD, 16)

const RUNNING: usize = memory.data(QUAD, 16)
const INVERSE: usize = memory.data(QUAD, 16)
const SLOPE: usize = memory.data(QUAD, 16)
const SUM: usize = memory.data(QUAD, 16)
const X: usize = memory.data(QUAD, 16)

const LANE_0: usize = memory.data(ELEMENT)
const LANE_1: usize = memory.data(ELEMENT)
const LANE_2: usize = memory.data(ELEMENT)
const LANE_3: usize = memory.data(ELEMENT)
const LOW: usize = memory.data(ELEMENT)
const HIGH: usize = memory.data(ELEMENT)
const ALL: usize = memory.data(ELEMENT)
const ONE: usize = memory.data(ELEMENT)

/** Doubles the points of `count` quads: `stride` bytes lie from one to the next. */
export function doubleEach(
  out: usize,
  outStride: i32,
  points: usize,
  stride: i32,
  count: i32,
): void {
  shareInverse(points + QUAD, stride, count)
  multiplyLanes(RUNNING, THREE_HALVES)
  for (let i = count - 1; i >= 0; i--) {
    const x = points + i * stride
    const y = x + QUAD
    const result = out + i * outStride
    takeInverse(i, y)
    // The inverse is that of 2y / 3.
    square(SLOPE, x)
    multiply(SLOPE, SLOPE, INVERSE)
    addQuads(SUM, x, x)
    finishPoint(result, x, y)
  }
}

/** Adds to the points of `count` quads the addends, or subtracts them by their signs. */
export function addEach(out: usize, outStride: i32, points: usize, stride: i32, count: i32): void {
  for (let i = 0; i < count; i++) {
    const x = points + i * stride
    const addend = addends + i * POINTS
    subtractQuads(DENOMINATORS + i * QUAD, addend, x)
    subtractSigned(NUMERATORS + i * QUAD, addend + QUAD, x + QUAD, signs + 16 * i)
  }
  shareInverse(DENOMINATORS, QUAD, count)
  for (let i = count - 1; i >= 0; i--) {
    const x = points + i * stride
    takeInverse(i, DENOMINATORS + i * QUAD)
    multiply(SLOPE, NUMERATORS + i * QUAD, INVERSE)
    addQuads(SUM, x, addends + i * POINTS)
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

/** INVERSE = 1 / the denominator of quad `i`, the last of those that RUNNING still holds. */
@inline
function takeInverse(i: i32, denominator: usize): void {
  if (i == 0) return copyQuad(INVERSE, RUNNING)
  multiply(INVERSE, RUNNING, PREFIXES + i * QUAD)
  multiply(RUNNING, RUNNING, denominator)
}

/** RUNNING = 1 / the product of the denominators; those that are zero are made one and their points spoilt. */
function shareInverse(denominators: usize, stride: i32, count: i32): void {
  multiplyUp(denominators, stride, count)
  if (invertRunning()) return
  for (let i = 0; i < count; i++) replaceZeros(denominators + i * stride, i)
  multiplyUp(denominators, stride, count)
  invertRunning()
}

/** RUNNING = the product of the denominators, lane by lane. */
function multiplyUp(denominators: usize, stride: i32, count: i32): void {
  copyQuad(RUNNING, denominators)
  for (let i = 1; i < count; i++) {
    copyQuad(PREFIXES + i * QUAD, RUNNING)
    multiply(RUNNING, RUNNING, denominators + i * stride)
  }
}

function replaceZeros(quad: usize, index: i32): void {
  setSmall(ONE, 1)
  for (let lane = 0; lane < LANES; lane++) {
    takeLane(ALL, quad, lane)
    if (!isZero(ALL)) continue
    putLane(quad, lane, ONE)
    store<u8>(spoilt + LANES * index + lane, 1)
  }
}

/** Inverts the lanes of RUNNING with one inversion; false when one of them is zero. */
function invertRunning(): bool {
  takeLane(LANE_0, RUNNING, 0)
  takeLane(LANE_1, RUNNING, 1)
  takeLane(LANE_2, RUNNING, 2)
  takeLane(LANE_3, RUNNING, 3)
  multiplyOne(LOW, LANE_0, LANE_1)
  multiplyOne(HIGH, LANE_2, LANE_3)
  multiplyOne(ALL, LOW, HIGH)
  normalize(ALL)
  if (isZero(ALL)) return false
  invert(ALL, ALL, PRIME_INVERSE)
  multiplyOne(HIGH, HIGH, ALL)
  multiplyOne(LOW, LOW, ALL)
  putProduct(0, HIGH, LANE_1)
  putProduct(1, HIGH, LANE_0)
  putProduct(2, LOW, LANE_3)
  putProduct(3, LOW, LANE_2)
  return true
}

@inline
function putProduct(lane: i32, a: usize, b: usize): void {
  multiplyOne(ALL, a, b)
  putLane(RUNNING, lane, ALL)
}

function multiplyLanes(quad: usize, factor: usize): void {
  for (let lane = 0; lane < LANES; lane++) {
    takeLane(ALL, quad, lane)
    multiplyOne(ALL, ALL, factor)
    putLane(quad, lane, ALL)
  }
}
