/**
 * Points of y^2 = x^3 + b over Fp (F = u32, one lane) or Fp2 (F = u64, both lanes). The field is chosen at compile
 * time. The Jacobian formulas follow the Explicit-Formulas Database (shortw/jacobian-0: doubling for a = 0, addition
 * by Cohen, Miyaji and Ono), ordered to keep sizes within what the products accept. Coordinates have size one. Any
 * output may be an input.
 */
import { ONE } from '../generated/bls12-381-constants'
import {
  add,
  copy,
  fourfold,
  multiplyFp,
  multiplyFp2,
  negate,
  reduce,
  squareFp,
  subtract,
  thrice,
  twice,
} from '../generated/bls12-381-field'
import { ELEMENT, hasNoDigits, invertFp, isZeroFp } from './fp'
import { invertFp2, isZeroFp2, squareFp2 } from './fp2'

// A point is X, Y, Z and a word that says whether it is the point at infinity. An affine point lacks Z.
export const Y: i32 = ELEMENT
export const Z: i32 = 2 * ELEMENT
export const POINT: i32 = 3 * ELEMENT + 16
export const AFFINE: i32 = 2 * ELEMENT + 16
const POINT_FLAG: i32 = 3 * ELEMENT
const AFFINE_FLAG: i32 = 2 * ELEMENT

/** |z|, the parameter of the curve; z itself is negative. */
export const PARAMETER: u64 = 0xd201000000010000
/** Bits of |z| below the highest one. */
export const PARAMETER_BITS: i32 = 63

const A: usize = memory.data(ELEMENT, 16)
const B: usize = memory.data(ELEMENT, 16)
const C: usize = memory.data(ELEMENT, 16)
const D: usize = memory.data(ELEMENT, 16)
const E: usize = memory.data(ELEMENT, 16)
const U: usize = memory.data(ELEMENT, 16)
const S: usize = memory.data(ELEMENT, 16)
const H: usize = memory.data(ELEMENT, 16)
const R: usize = memory.data(ELEMENT, 16)

@inline
export function multiply<F>(out: usize, a: usize, b: usize): void {
  if (sizeof<F>() == 8) multiplyFp2(out, a, b)
  else multiplyFp(out, a, b)
}

@inline
export function square<F>(out: usize, a: usize): void {
  if (sizeof<F>() == 8) squareFp2(out, a)
  else squareFp(out, a)
}

@inline
export function isZero<F>(a: usize): bool {
  return sizeof<F>() == 8 ? isZeroFp2(a) : isZeroFp(a)
}

@inline
export function invertElement<F>(out: usize, a: usize): void {
  if (sizeof<F>() == 8) invertFp2(out, a)
  else invertFp(out, a)
}

@inline
function isReducedZero<F>(a: usize): bool {
  return hasNoDigits(a) && (sizeof<F>() == 4 || hasNoDigits(a + 4))
}

@inline
export function isInfinity(p: usize): bool {
  return load<u32>(p, POINT_FLAG) != 0
}

@inline
export function setInfinity(p: usize, value: bool): void {
  store<u32>(p, value, POINT_FLAG)
}

@inline
export function isAffineInfinity(p: usize): bool {
  return load<u32>(p, AFFINE_FLAG) != 0
}

@inline
export function setAffineInfinity(p: usize, value: bool): void {
  store<u32>(p, value, AFFINE_FLAG)
}

export function fromAffine(out: usize, p: usize): void {
  memory.copy(out, p, Z)
  copy(out + Z, ONE)
  setInfinity(out, isAffineInfinity(p))
}

export function negateAffine(out: usize, p: usize): void {
  copy(out, p)
  negate(out + Y, p + Y)
  setAffineInfinity(out, isAffineInfinity(p))
}

/** Returns true if a finite affine point satisfies the curve equation. */
export function isOnCurve<F>(p: usize, b: usize): bool {
  square<F>(A, p)
  multiply<F>(A, A, p)
  square<F>(B, p + Y)
  add(A, A, b)
  subtract(A, A, B)
  return isZero<F>(A)
}

/** Neither curve has a point of order two, so Y is never zero. */
export function double<F>(out: usize, p: usize): void {
  if (isInfinity(p)) {
    setInfinity(out, true)
    return
  }
  square<F>(A, p)
  square<F>(B, p + Y)
  fourfold(D, B)
  multiply<F>(D, p, D)
  twice(C, p + Y)
  multiply<F>(out + Z, C, p + Z)
  twice(C, B)
  square<F>(C, C)
  thrice(E, A)
  reduce(E, E)
  square<F>(A, E)
  subtract(A, A, D)
  subtract(A, A, D)
  reduce(out, A)
  subtract(D, D, out)
  multiply<F>(D, E, D)
  subtract(D, D, C)
  subtract(D, D, C)
  reduce(out + Y, D)
  setInfinity(out, false)
}

/** out = p + q for affine q. */
export function addAffine<F>(out: usize, p: usize, q: usize): void {
  if (isInfinity(p)) {
    fromAffine(out, q)
    return
  }
  if (isAffineInfinity(q)) {
    if (out != p) memory.copy(out, p, POINT)
    return
  }
  square<F>(A, p + Z)
  multiply<F>(H, q, A)
  multiply<F>(A, A, p + Z)
  multiply<F>(R, q + Y, A)
  copy(U, p)
  copy(S, p + Y)
  copy(E, p + Z)
  finishAddition<F>(out, p)
}

/** out = p + q. */
export function addPoints<F>(out: usize, p: usize, q: usize): void {
  if (isInfinity(p)) {
    memory.copy(out, q, POINT)
    return
  }
  if (isInfinity(q)) {
    if (out != p) memory.copy(out, p, POINT)
    return
  }
  square<F>(A, p + Z)
  square<F>(B, q + Z)
  multiply<F>(H, q, A)
  multiply<F>(U, p, B)
  multiply<F>(A, A, p + Z)
  multiply<F>(B, B, q + Z)
  multiply<F>(R, q + Y, A)
  multiply<F>(S, p + Y, B)
  multiply<F>(E, p + Z, q + Z)
  finishAddition<F>(out, p)
}

/** Adds points that share the Z in E, given (U, S) and (H, R). */
function finishAddition<F>(out: usize, p: usize): void {
  subtract(H, H, U)
  reduce(H, H)
  subtract(R, R, S)
  if (isReducedZero<F>(H)) {
    if (isZero<F>(R)) double<F>(out, p)
    else setInfinity(out, true)
    return
  }
  square<F>(B, H)
  multiply<F>(C, H, B)
  multiply<F>(D, U, B)
  multiply<F>(out + Z, E, H)
  square<F>(A, R)
  subtract(A, A, C)
  subtract(A, A, D)
  subtract(A, A, D)
  reduce(out, A)
  subtract(D, D, out)
  multiply<F>(D, R, D)
  multiply<F>(S, S, C)
  subtract(D, D, S)
  reduce(out + Y, D)
  setInfinity(out, false)
}

export function toAffine<F>(out: usize, p: usize): void {
  const isAtInfinity = isInfinity(p)
  setAffineInfinity(out, isAtInfinity)
  if (isAtInfinity) return
  invertElement<F>(A, p + Z)
  applyInverse<F>(out, p, A)
}

/** Divides by Z, given its inverse, into an affine point. */
export function applyInverse<F>(out: usize, p: usize, inverse: usize): void {
  square<F>(B, inverse)
  multiply<F>(C, B, inverse)
  multiply<F>(out, p, B)
  multiply<F>(out + Y, p + Y, C)
  setAffineInfinity(out, false)
}

/** out = |z| * p for affine p: 63 doublings and five additions. */
export function multiplyByParameter<F>(out: usize, p: usize): void {
  fromAffine(out, p)
  for (let bit = PARAMETER_BITS - 1; bit >= 0; bit--) {
    double<F>(out, out)
    if (((PARAMETER >> bit) & 1) != 0) addAffine<F>(out, out, p)
  }
}

/** Returns true if p, which is finite, is the affine point q. */
export function isEqualToAffine<F>(p: usize, q: usize): bool {
  if (isInfinity(p)) return false
  square<F>(A, p + Z)
  multiply<F>(B, q, A)
  subtract(B, B, p)
  if (!isZero<F>(B)) return false
  multiply<F>(A, A, p + Z)
  multiply<F>(B, q + Y, A)
  subtract(B, B, p + Y)
  return isZero<F>(B)
}
