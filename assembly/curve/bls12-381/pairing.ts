/**
 * Products of optimal ate pairings. Lines of the M-type twist in homogeneous coordinates: Costello, Lange and Naehrig
 * (eprint 2009/615), arranged after Aranha et al. (eprint 2010/526) and scaled by four to avoid halving. Final
 * exponentiation: Hayashida, Hayasaka and Teruya, eprint 2020/875. The only question is whether the product is one,
 * so the sign of z and the cube in that exponent need no correction.
 */
import { ONE } from '../generated/bls12-381-constants'
import {
  add,
  copy,
  fourfold,
  multiplyFp2,
  multiplyLanes,
  negate,
  reduce,
  splat,
  subtract,
  thrice,
  timesXi,
  twice,
} from '../generated/bls12-381-field'
import { ELEMENT } from './fp'
import { isZeroFp2, squareFp2 } from './fp2'
import {
  applyFrobenius,
  applyFrobeniusSquared,
  conjugateFp12,
  FP12,
  invertFp12,
  isOne,
  multiplyByLine,
  multiplyFp12,
  setOne,
  squareCyclotomic,
  squareFp12,
} from './fp12'
import { applyPsi, isInG2 } from './g2'
import { AFFINE, isAffineInfinity, PARAMETER, PARAMETER_BITS, Y, Z } from './group'

/** Pairs that share a chain of squarings. A longer product is processed in groups of this size. */
export const PAIRS: i32 = 32

// A pair in the loop: x and -y of the first point in both lanes, the second point, its multiple, and the address of
// the next prepared line, or zero.
const MINUS_Y: i32 = ELEMENT
const SECOND: i32 = 2 * ELEMENT
const MULTIPLE: i32 = 4 * ELEMENT
const NEXT_LINE: i32 = 7 * ELEMENT
const PAIR: i32 = 7 * ELEMENT + 16

const LINE: i32 = 3 * ELEMENT
/** Bytes of the lines of a point: one for each of 63 doublings and five additions. */
export const LINES: i32 = 68 * LINE

const STATE: usize = memory.data(PAIRS * PAIR, 16)
/** Product of the finished loops, and of the current one. */
const PRODUCT: usize = memory.data(FP12, 16)
const F: usize = memory.data(FP12, 16)
const G: usize = memory.data(FP12, 16)
const H: usize = memory.data(FP12, 16)
const BASE: usize = memory.data(FP12, 16)

const L0: usize = memory.data(ELEMENT, 16)
const L1: usize = memory.data(ELEMENT, 16)
const L2: usize = memory.data(ELEMENT, 16)
const A: usize = memory.data(ELEMENT, 16)
const B: usize = memory.data(ELEMENT, 16)
const C: usize = memory.data(ELEMENT, 16)
const D: usize = memory.data(ELEMENT, 16)
const E: usize = memory.data(ELEMENT, 16)

const IMAGE: usize = memory.data(AFFINE, 16)

let pairs: i32 = 0

export function beginProduct(): void {
  pairs = 0
  setOne(PRODUCT)
}

/**
 * Takes a pair of affine points. The first must be in its subgroup, the second on its curve; the loop checks the
 * second's subgroup. A pair with a point at infinity contributes one, and its second point is checked here. Returns
 * false if that point is outside the subgroup.
 */
export function takePair(first: usize, second: usize): bool {
  if (isAffineInfinity(first)) return isInG2(second)
  if (isAffineInfinity(second)) return true
  const pair = STATE + PAIR * pairs
  setFirst(pair, first)
  setSecond(pair, second)
  pairs++
  return true
}

/** Takes a pair whose second point is given by its prepared lines. */
export function takePreparedPair(first: usize, lines: usize): void {
  if (isAffineInfinity(first)) return
  const pair = STATE + PAIR * pairs
  setFirst(pair, first)
  store<usize>(pair, lines, NEXT_LINE)
  pairs++
}

/** Writes the lines of a point of G2 (LINES bytes). Must not be called while pairs wait for the loop. */
export function prepareLines(out: usize, second: usize): void {
  setSecond(STATE, second)
  for (let bit = PARAMETER_BITS - 1; bit >= 0; bit--) {
    doubleStep(STATE)
    out = keepLine(out)
    if (((PARAMETER >> bit) & 1) == 0) continue
    addStep(STATE)
    out = keepLine(out)
  }
}

function keepLine(out: usize): usize {
  copy(out, L0)
  copy(out + ELEMENT, L1)
  copy(out + 2 * ELEMENT, L2)
  return out + LINE
}

function setFirst(pair: usize, first: usize): void {
  splat(pair, first)
  splat(pair + MINUS_Y, first + Y)
  negate(pair + MINUS_Y, pair + MINUS_Y)
}

function setSecond(pair: usize, second: usize): void {
  memory.copy(pair + SECOND, second, 2 * ELEMENT)
  memory.copy(pair + MULTIPLE, second, 2 * ELEMENT)
  copy(pair + MULTIPLE + Z, ONE)
  store<usize>(pair, 0, NEXT_LINE)
}

/**
 * Multiplies the product by the pairs taken since the last call. Returns false if a second point is outside the
 * subgroup. The multiples end at |z| Q, so each membership check costs one comparison.
 */
export function runLoop(): bool {
  if (pairs == 0) return true
  setOne(F)
  for (let bit = PARAMETER_BITS - 1; bit >= 0; bit--) {
    if (bit != PARAMETER_BITS - 1) squareFp12(F, F)
    for (let i = 0; i < pairs; i++) takeStep(STATE + PAIR * i, true)
    if (((PARAMETER >> bit) & 1) == 0) continue
    for (let i = 0; i < pairs; i++) takeStep(STATE + PAIR * i, false)
  }
  multiplyFp12(PRODUCT, PRODUCT, F)
  let areMembers = true
  for (let i = 0; i < pairs; i++) areMembers = areMembers && endsAtImage(STATE + PAIR * i)
  pairs = 0
  return areMembers
}

/**
 * Returns true if |z| Q = -psi(Q), the test of `isInG2`. An addition of equal or opposite points leaves Z = 0 for
 * good; no member of the subgroup reaches one. Points with prepared lines are known members.
 */
function endsAtImage(pair: usize): bool {
  if (load<usize>(pair, NEXT_LINE) != 0) return true
  const x = pair + MULTIPLE
  const z = x + Z
  if (isZeroFp2(z)) return false
  applyPsi(IMAGE, pair + SECOND)
  multiplyFp2(A, IMAGE, z)
  subtract(A, A, x)
  multiplyFp2(B, IMAGE + Y, z)
  add(B, B, x + Y)
  return isZeroFp2(A) && isZeroFp2(B)
}

/** F = F * the next line of a pair, with the last two coefficients multiplied by the first point's coordinates. */
function takeStep(pair: usize, isDoubling: bool): void {
  const line = load<usize>(pair, NEXT_LINE)
  if (line != 0) {
    multiplyLanes(L1, line + ELEMENT, pair)
    multiplyLanes(L2, line + 2 * ELEMENT, pair + MINUS_Y)
    multiplyByLine(F, line, L1, L2)
    store<usize>(pair, line + LINE, NEXT_LINE)
    return
  }
  if (isDoubling) doubleStep(pair)
  else addStep(pair)
  multiplyLanes(L1, L1, pair)
  multiplyLanes(L2, L2, pair + MINUS_Y)
  multiplyByLine(F, L0, L1, L2)
}

/** (L0, L1, L2) = the tangent at the multiple T, and T = 2 T. */
function doubleStep(pair: usize): void {
  const x = pair + MULTIPLE
  const y = x + Y
  const z = x + Z
  // B = Y^2, E = 3 b Z^2 = 12 xi Z^2, D = 2 Y Z
  squareFp2(B, y)
  squareFp2(C, z)
  thrice(C, C)
  timesXi(C, C)
  reduce(C, C)
  fourfold(C, C)
  reduce(E, C)
  twice(D, y)
  multiplyFp2(D, D, z)

  subtract(L0, E, B)
  reduce(L0, L0)
  squareFp2(L1, x)
  thrice(L1, L1)
  copy(L2, D)

  // X = 2 X Y (B - 3 E), Y = (B + 3 E)^2 - 3 (2 E)^2, Z = 4 B D
  thrice(C, E)
  twice(A, x)
  multiplyFp2(A, A, y)
  subtract(x, B, C)
  multiplyFp2(x, x, A)
  add(C, B, C)
  reduce(C, C)
  squareFp2(C, C)
  twice(E, E)
  squareFp2(E, E)
  thrice(E, E)
  subtract(C, C, E)
  reduce(y, C)
  fourfold(B, B)
  multiplyFp2(z, B, D)
}

/** (L0, L1, L2) = the line through the multiple T and the second point Q, and T = T + Q. */
function addStep(pair: usize): void {
  const x = pair + MULTIPLE
  const y = x + Y
  const z = x + Z
  const qx = pair + SECOND
  const qy = qx + Y
  // A = Y - qy Z, B = X - qx Z: the slope is A / B
  multiplyFp2(A, qy, z)
  subtract(A, y, A)
  reduce(A, A)
  multiplyFp2(B, qx, z)
  subtract(B, x, B)
  reduce(B, B)

  multiplyFp2(L0, A, qx)
  multiplyFp2(C, B, qy)
  subtract(L0, L0, C)
  reduce(L0, L0)
  negate(L1, A)
  negate(L2, B)

  // E = B^3, D = X B^2, C = E + Z A^2 - 2 D
  squareFp2(C, B)
  multiplyFp2(E, B, C)
  multiplyFp2(D, x, C)
  squareFp2(C, A)
  multiplyFp2(C, C, z)
  add(C, C, E)
  subtract(C, C, D)
  subtract(C, C, D)
  reduce(C, C)
  multiplyFp2(x, B, C)
  subtract(D, D, C)
  multiplyFp2(D, D, A)
  multiplyFp2(y, y, E)
  subtract(D, D, y)
  reduce(y, D)
  multiplyFp2(z, z, E)
}

/** Returns true if the product of the pairings is one. Call it after `runLoop`. */
export function isProductOne(): bool {
  // f^((p^6 - 1)(p^2 + 1))
  invertFp12(G, PRODUCT)
  conjugateFp12(F, PRODUCT)
  multiplyFp12(F, F, G)
  applyFrobeniusSquared(G, F)
  multiplyFp12(F, F, G)
  // f^((z - 1)^2 (z + p) (z^2 + p^2 - 1) + 3)
  raiseByParameterLessOne(G, F)
  raiseByParameterLessOne(G, G)
  raiseByParameter(H, G)
  applyFrobenius(G, G)
  multiplyFp12(G, G, H)
  raiseByParameter(H, G)
  raiseByParameter(H, H)
  multiplyFp12(H, H, F)
  squareCyclotomic(F)
  multiplyFp12(H, H, F)
  conjugateFp12(F, G)
  multiplyFp12(H, H, F)
  applyFrobeniusSquared(G, G)
  multiplyFp12(H, H, G)
  return isOne(H)
}

/** out = a^z in the cyclotomic subgroup; z is negative. out may be a. */
function raiseByParameter(out: usize, a: usize): void {
  memory.copy(BASE, a, FP12)
  if (out != a) memory.copy(out, a, FP12)
  for (let bit = PARAMETER_BITS - 1; bit >= 0; bit--) {
    squareCyclotomic(out)
    if (((PARAMETER >> bit) & 1) != 0) multiplyFp12(out, out, BASE)
  }
  conjugateFp12(out, out)
}

/** out = a^(z - 1). */
function raiseByParameterLessOne(out: usize, a: usize): void {
  raiseByParameter(out, a)
  conjugateFp12(BASE, BASE)
  multiplyFp12(out, out, BASE)
}
