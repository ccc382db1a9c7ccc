/**
 * Maps field elements to points of the subgroups (RFC 9380: 6.6.2 simplified SWU, 6.6.3 isogenies, appendix E).
 * Cofactors are cleared by 1 - z on G1 and after Budroni and Pintore (eprint 2017/419) on G2.
 */
import {
  G1_MAP_ROOT,
  G1_SIMPLE,
  G1_X_DENOMINATOR,
  G1_X_NUMERATOR,
  G1_Y_DENOMINATOR,
  G1_Y_NUMERATOR,
  G2_SIMPLE,
  G2_X_DENOMINATOR,
  G2_X_NUMERATOR,
  G2_Y_DENOMINATOR,
  G2_Y_NUMERATOR,
  ONE,
} from '../generated/bls12-381-constants'
import { add, copy, negate, reduce } from '../generated/bls12-381-field'
import { ELEMENT, isOddFp, rootFp } from './fp'
import { isOddFp2, rootFp2 } from './fp2'
import { applyPsi } from './g2'
import {
  AFFINE,
  addAffine,
  addPoints,
  double,
  fromAffine,
  invertElement,
  isZero,
  multiply,
  multiplyByParameter,
  negateAffine,
  POINT,
  setInfinity,
  square,
  toAffine,
  Y,
  Z,
} from './group'

// Constants of a curve y^2 = x^3 + A x + B and the non-square Z, in the generator's layout.
const SIMPLE_B: i32 = ELEMENT
const SIMPLE_Z: i32 = 2 * ELEMENT
const MINUS_B_OVER_A: i32 = 3 * ELEMENT
const B_OVER_ZA: i32 = 4 * ELEMENT

const T: usize = memory.data(ELEMENT, 16)
const V: usize = memory.data(ELEMENT, 16)
const GX: usize = memory.data(ELEMENT, 16)
const SX: usize = memory.data(ELEMENT, 16)
const SY: usize = memory.data(ELEMENT, 16)
const X_NUMERATOR: usize = memory.data(ELEMENT, 16)
const X_DENOMINATOR: usize = memory.data(ELEMENT, 16)
const Y_NUMERATOR: usize = memory.data(ELEMENT, 16)
const Y_DENOMINATOR: usize = memory.data(ELEMENT, 16)
const MAPPED: usize = memory.data(AFFINE, 16)
const IMAGE: usize = memory.data(AFFINE, 16)
const SECOND_IMAGE: usize = memory.data(AFFINE, 16)
const TERM: usize = memory.data(POINT, 16)

/** Maps to a Jacobian point of G1. */
export function mapToG1(out: usize, u: usize): void {
  mapToSimple<u32>(u, G1_SIMPLE)
  evaluate<u32>(X_NUMERATOR, G1_X_NUMERATOR, 12)
  evaluate<u32>(X_DENOMINATOR, G1_X_DENOMINATOR, 11)
  evaluate<u32>(Y_NUMERATOR, G1_Y_NUMERATOR, 16)
  evaluate<u32>(Y_DENOMINATOR, G1_Y_DENOMINATOR, 16)
  joinFractions<u32>(out)
  toAffine<u32>(MAPPED, out)
  multiplyByParameter<u32>(out, MAPPED)
  addAffine<u32>(out, out, MAPPED)
}

/** Maps to a Jacobian point of G2: (z^2 - z - 1) P + (z - 1) psi(P) + psi^2(2 P). */
export function mapToG2(out: usize, u: usize): void {
  mapToSimple<u64>(u, G2_SIMPLE)
  evaluate<u64>(X_NUMERATOR, G2_X_NUMERATOR, 4)
  evaluate<u64>(X_DENOMINATOR, G2_X_DENOMINATOR, 3)
  evaluate<u64>(Y_NUMERATOR, G2_Y_NUMERATOR, 4)
  evaluate<u64>(Y_DENOMINATOR, G2_Y_DENOMINATOR, 4)
  joinFractions<u64>(out)
  toAffine<u64>(MAPPED, out)

  // z is negative. With R = |z| P - psi(P) the result is |z| R + R - P + 2 psi^2(P).
  applyPsi(IMAGE, MAPPED)
  applyPsi(SECOND_IMAGE, IMAGE)
  negateAffine(IMAGE, IMAGE)
  multiplyByParameter<u64>(TERM, MAPPED)
  addAffine<u64>(TERM, TERM, IMAGE)
  toAffine<u64>(IMAGE, TERM)
  multiplyByParameter<u64>(out, IMAGE)
  addAffine<u64>(out, out, IMAGE)
  negateAffine(MAPPED, MAPPED)
  addAffine<u64>(out, out, MAPPED)
  fromAffine(TERM, SECOND_IMAGE)
  double<u64>(TERM, TERM)
  addPoints<u64>(out, out, TERM)
}

/** (SX, SY) = the point that u maps to on the curve with the given constants. */
function mapToSimple<F>(u: usize, constants: usize): void {
  square<F>(T, u)
  multiply<F>(T, T, constants + SIMPLE_Z)
  square<F>(V, T)
  add(V, V, T)
  if (isZero<F>(V)) copy(SX, constants + B_OVER_ZA)
  else {
    invertElement<F>(V, V)
    add(V, V, ONE)
    multiply<F>(SX, V, constants + MINUS_B_OVER_A)
  }
  square<F>(GX, SX)
  add(GX, GX, constants)
  multiply<F>(GX, GX, SX)
  add(GX, GX, constants + SIMPLE_B)
  reduce(GX, GX)

  if (!findRoot<F>(u)) multiply<F>(SX, SX, T)
  if (isOdd<F>(u) != isOdd<F>(SY)) negate(SY, SY)
}

@inline
function isOdd<F>(a: usize): bool {
  return sizeof<F>() == 8 ? isOddFp2(a) : isOddFp(a)
}

/** SY = the root of g(x), or of g(T x) = T^3 g(x) if g(x) is not a square. Returns which. */
function findRoot<F>(u: usize): bool {
  if (sizeof<F>() == 8) {
    if (rootFp2(SY, GX)) return true
    for (let i = 0; i < 3; i++) multiply<F>(GX, GX, T)
    rootFp2(SY, GX)
    return false
  }
  if (rootFp(SY, GX)) return true
  // SY^2 = -g(x), so the other root is SY u^3 sqrt(-Z^3).
  for (let i = 0; i < 3; i++) multiply<F>(SY, SY, u)
  multiply<F>(SY, SY, G1_MAP_ROOT)
  return false
}

/** out = the polynomial of `count` coefficients, the lowest first, at SX. */
function evaluate<F>(out: usize, coefficients: usize, count: i32): void {
  copy(out, coefficients + ELEMENT * (count - 1))
  for (let i = count - 2; i >= 0; i--) {
    multiply<F>(out, out, SX)
    add(out, out, coefficients + ELEMENT * i)
  }
  reduce(out, out)
}

/** out = (xn / xd, SY yn / yd) with Z = xd yd; the point at infinity if Z is zero. */
function joinFractions<F>(out: usize): void {
  multiply<F>(out + Z, X_DENOMINATOR, Y_DENOMINATOR)
  square<F>(V, Y_DENOMINATOR)
  multiply<F>(V, V, X_DENOMINATOR)
  multiply<F>(out, X_NUMERATOR, V)
  square<F>(T, X_DENOMINATOR)
  multiply<F>(V, V, T)
  multiply<F>(V, V, Y_NUMERATOR)
  multiply<F>(out + Y, V, SY)
  setInfinity(out, isZero<F>(out + Z))
}
