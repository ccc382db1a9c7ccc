/** Fp2 = Fp[i] / (i^2 + 1) of BLS12-381: a slot whose halves are the two coordinates. */
import { ONE_HALF } from '../generated/bls12-381-constants'
import {
  add,
  conjugate,
  copy,
  multiplyFp,
  multiplyLanes,
  negate,
  reduce,
  splat,
  splitSquare,
  squareFp,
  subtract,
} from '../generated/bls12-381-field'
import { ELEMENT, hasNoDigits, invertFp, isOddFp, isZeroFp, rootFp } from './fp'

const LEFT: usize = memory.data(ELEMENT, 16)
const RIGHT: usize = memory.data(ELEMENT, 16)
const NORM: usize = memory.data(ELEMENT, 16)
const ROOT: usize = memory.data(ELEMENT, 16)
const IMAGINARY: usize = memory.data(ELEMENT, 16)
const INPUT: usize = memory.data(ELEMENT, 16)

/** out = a^2: (re + im)(re - im) and 2 re im in the two lanes. a is at most two halves in size. */
export function squareFp2(out: usize, a: usize): void {
  splitSquare(LEFT, RIGHT, a)
  multiplyLanes(out, LEFT, RIGHT)
}

export function isZeroFp2(a: usize): bool {
  reduce(LEFT, a)
  return hasNoDigits(LEFT) && hasNoDigits(LEFT + 4)
}

/** out = re^2 + im^2, in the first half. */
function takeNorm(out: usize, a: usize): void {
  squareFp(LEFT, a)
  squareFp(RIGHT, a + 4)
  add(out, LEFT, RIGHT)
}

/** out = 1 / a = conjugate(a) / norm(a), for non-zero a. */
export function invertFp2(out: usize, a: usize): void {
  takeNorm(NORM, a)
  invertFp(NORM, NORM)
  splat(NORM, NORM)
  conjugate(LEFT, a)
  multiplyLanes(out, LEFT, NORM)
}

/** Returns the parity as RFC 9380 (4.1) defines it: that of re, or of im if re is zero. */
export function isOddFp2(a: usize): bool {
  return isZeroFp(a) ? isOddFp(a + 4) : isOddFp(a)
}

/**
 * Writes a square root of a, of size one. Returns false if a has no root. Uses the root of the norm (Adj and
 * Rodriguez-Henriquez, "Square root computation over even extension fields", 2012): re' = sqrt((re + sqrt(norm)) / 2)
 * or that with the other root, im' = im / (2 re').
 */
export function rootFp2(out: usize, a: usize): bool {
  copy(INPUT, a)
  takeNorm(NORM, INPUT)
  reduce(NORM, NORM)
  if (!rootFp(NORM, NORM)) return false
  add(IMAGINARY, INPUT, NORM)
  multiplyFp(IMAGINARY, IMAGINARY, ONE_HALF)
  if (!rootFp(ROOT, IMAGINARY)) {
    subtract(IMAGINARY, INPUT, NORM)
    multiplyFp(IMAGINARY, IMAGINARY, ONE_HALF)
    if (!rootFp(ROOT, IMAGINARY)) return false
  }
  if (isZeroFp(ROOT)) {
    // The root's re is zero: a is real and zero or the negative of a square.
    negate(IMAGINARY, INPUT)
    reduce(IMAGINARY, IMAGINARY)
    if (!rootFp(ROOT + 4, IMAGINARY)) return false
    copy(out, ROOT)
    return true
  }
  add(IMAGINARY, ROOT, ROOT)
  invertFp(IMAGINARY, IMAGINARY)
  multiplyFp(ROOT + 4, INPUT + 4, IMAGINARY)
  copy(out, ROOT)
  return true
}
