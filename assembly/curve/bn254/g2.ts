/**
 * G2 of BN254: points of the twist y^2 = x^3 + 3 / xi over Fp2, their decoding (EIP-197), and the steps of the Miller
 * loop, which move a point and return the line of the move.
 *
 * A moving point is homogeneous: x = X / Z, y = Y / Z. No step checks for special cases, because a point of the
 * subgroup meets none. For any other point, an addition of equal or infinite points leaves Z = 0, and no later step
 * changes that.
 */
import {
  add,
  addLoose,
  conjugate,
  FROBENIUS,
  multiply,
  negate,
  ONE,
  quadruple,
  square,
  subtract,
  sumMinusTwice,
  sumOfTwo,
  TWIST_B,
  TWIST_B_BY_3,
  thrice,
  twiceMinus,
} from '../generated/bn254-fp2'
import { ELEMENT } from '../limbs'
import { decode } from './fp'
import { copy, FP2, isEqual, isZero, join } from './fp2'
import { FINITE, INFINITE, INVALID } from './g1'

/** x, y and -y. */
export const AFFINE: i32 = 3 * FP2
/** X, Y and Z. */
export const HOMOGENEOUS: i32 = 3 * FP2
/** l0, l1 and l3 of a line, whose value at a point (x, y) is l0 * y + l1 * x * w + l3 * w^3. */
export const LINE: i32 = 3 * FP2

const RE: usize = memory.data(ELEMENT)
const IM: usize = memory.data(ELEMENT)
const T0: usize = memory.data(FP2, 16)
const T1: usize = memory.data(FP2, 16)
const T2: usize = memory.data(FP2, 16)
const T3: usize = memory.data(FP2, 16)
const T4: usize = memory.data(FP2, 16)
const T5: usize = memory.data(FP2, 16)
const T6: usize = memory.data(FP2, 16)

/**
 * Reads x and y, 64 bytes each, imaginary part first. Returns whether they are a point of the twist. `closes` checks
 * the subgroup at the end of the Miller loop.
 */
export function decodePoint(out: usize, bytes: usize): i32 {
  if (!decodeElement(out, bytes) || !decodeElement(out + FP2, bytes + 64)) return INVALID
  if (isZero(out) && isZero(out + FP2)) return INFINITE
  square(T0, out)
  multiply(T0, T0, out)
  add(T0, T0, TWIST_B)
  square(T1, out + FP2)
  if (!isEqual(T0, T1)) return INVALID
  negate(out + 2 * FP2, out + FP2)
  return FINITE
}

function decodeElement(out: usize, bytes: usize): bool {
  if (!decode(IM, bytes) || !decode(RE, bytes + 32)) return false
  join(out, RE, IM)
  return true
}

/** The homogeneous form of an affine point. */
export function lift(out: usize, q: usize): void {
  copy(out, q)
  copy(out + FP2, q + FP2)
  copy(out + 2 * FP2, ONE)
}

/** out = the Frobenius endomorphism of the twist. It multiplies a point of the subgroup by p. */
export function endomorphism(out: usize, q: usize): void {
  conjugate(T0, q)
  multiply(out, T0, FROBENIUS + FP2)
  conjugate(T0, q + FP2)
  multiply(out + FP2, T0, FROBENIUS + 2 * FP2)
  negate(out + 2 * FP2, out + FP2)
}

/**
 * t = 2 * t and the tangent at the old t: l0 = Y Z, l1 = X^2 and l3 = Y^2 - 3 b Z^2, evaluated at (-3x, 2y) instead
 * of (x, y). Formulas of Costello, Lange and Naehrig, "Faster pairing computations on curves with high-degree
 * twists", 2010, times 4 to avoid halving.
 */
export function doubleStep(t: usize, line: usize): void {
  const y = t + FP2
  const z = t + 2 * FP2
  const b = T0
  const e = T1
  const e3 = T2
  const h = T3
  const xy = T4
  square(b, y)
  square(T5, z)
  multiply(e, T5, TWIST_B_BY_3)
  thrice(e3, e)
  multiply(h, y, z)
  multiply(xy, t, y)

  copy(line, h)
  square(line + FP2, t)
  subtract(line + 2 * FP2, b, e)

  // X = 2 XY (B - 3E), Y = (B + 3E)^2 - 12 E^2 = B^2 + 3E (2B - E), Z = 4 B * 2 YZ.
  subtract(T5, b, e3)
  addLoose(xy, xy, xy)
  multiply(t, xy, T5)
  twiceMinus(T5, b, e)
  sumOfTwo(y, b, b, e3, T5)
  quadruple(b, b)
  addLoose(h, h, h)
  multiply(z, b, h)
}

/**
 * t = t + (x, y) and the line through both. With O = Y - y Z and L = X - x Z: l0 = L, l1 = O and l3 = O x - L y,
 * evaluated at (-x, y) of G1. `minusY` is -y. Source as above.
 */
export function addStep(t: usize, x: usize, y: usize, minusY: usize, line: usize): void {
  const tY = t + FP2
  const tZ = t + 2 * FP2
  const o = T0
  const l = T1
  const e = T2
  const g = T3
  const h = T4
  multiply(T5, y, tZ)
  subtract(o, tY, T5)
  multiply(T5, x, tZ)
  subtract(l, t, T5)

  copy(line, l)
  copy(line + FP2, o)
  sumOfTwo(line + 2 * FP2, o, x, l, minusY)

  square(T5, l)
  multiply(e, l, T5)
  multiply(g, t, T5)
  square(T5, o)
  multiply(T6, tZ, T5)
  // h = L^3 + Z O^2 - 2 X L^2
  sumMinusTwice(h, e, T6, g)
  multiply(t, l, h)
  subtract(g, g, h)
  negate(tY, tY)
  sumOfTwo(tY, g, o, e, tY)
  multiply(tZ, e, tZ)
}

/** Returns true if t is the negative of the affine point q. */
export function closes(t: usize, q: usize): bool {
  const z = t + 2 * FP2
  if (isZero(z)) return false
  multiply(T0, q, z)
  multiply(T1, q + 2 * FP2, z)
  return isEqual(T0, t) && isEqual(T1, t + FP2)
}
