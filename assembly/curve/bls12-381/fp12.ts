/**
 * Fp12 = Fp6[w] / (w^2 - v): six slots, c0 then c1. In powers of w the slots hold w^0, w^2, w^4, then
 * w^1, w^3, w^5. Elements have size one.
 */
import { FROBENIUS, FROBENIUS_SQUARED, ONE } from '../generated/bls12-381-constants'
import {
  add,
  conjugate,
  copy,
  multiplyFp2,
  negate,
  reduce,
  subtract,
  thrice,
  timesXi,
  twice,
} from '../generated/bls12-381-field'
import { ELEMENT } from './fp'
import { isZeroFp2, squareFp2 } from './fp2'
import {
  addFp6,
  addTimesV,
  C1,
  C2,
  FP6,
  invertFp6,
  multiplyByMiddleFp6,
  multiplyFp6,
  multiplySparseFp6,
  reduceFp6,
  subtractFp6,
} from './fp6'

export const FP12: i32 = 2 * FP6

const A: usize = memory.data(FP6, 16)
const B: usize = memory.data(FP6, 16)
const C: usize = memory.data(FP6, 16)
const D: usize = memory.data(FP6, 16)
const T0: usize = memory.data(ELEMENT, 16)
const T1: usize = memory.data(ELEMENT, 16)
const T2: usize = memory.data(ELEMENT, 16)
const KEPT_EVEN: usize = memory.data(ELEMENT, 16)
const KEPT_ODD: usize = memory.data(ELEMENT, 16)
const MIDDLE: usize = memory.data(ELEMENT, 16)

export function setOne(out: usize): void {
  memory.fill(out, 0, FP12)
  copy(out, ONE)
}

export function isOne(a: usize): bool {
  subtract(T0, a, ONE)
  if (!isZeroFp2(T0)) return false
  for (let i = 1; i < 6; i++) if (!isZeroFp2(a + ELEMENT * i)) return false
  return true
}

export function multiplyFp12(out: usize, a: usize, b: usize): void {
  multiplyFp6(A, a, b)
  multiplyFp6(B, a + FP6, b + FP6)
  addFp6(C, a, a + FP6)
  addFp6(D, b, b + FP6)
  multiplyFp6(C, C, D)
  takeKaratsuba(out)
}

/** out = A + v B and C - A - B. */
function takeKaratsuba(out: usize): void {
  subtractFp6(C, C, A)
  subtractFp6(C, C, B)
  memory.copy(out + FP6, C, FP6)
  reduceFp6(out + FP6)
  addTimesV(out, A, B)
  reduceFp6(out)
}

/** out = a^2: (a0 + a1)(a0 + v a1) - (1 + v) a0 a1 and 2 a0 a1. */
export function squareFp12(out: usize, a: usize): void {
  multiplyFp6(A, a, a + FP6)
  addFp6(B, a, a + FP6)
  addTimesV(C, a, a + FP6)
  reduce(C, C)
  multiplyFp6(C, B, C)
  subtractFp6(C, C, A)
  addFp6(out + FP6, A, A)
  reduceFp6(out + FP6)
  timesXi(T0, A + C2)
  subtract(C, C, T0)
  subtract(C + C1, C + C1, A)
  subtract(C + C2, C + C2, A + C1)
  memory.copy(out, C, FP6)
  reduceFp6(out)
}

/** a = a * (l0 + l1 v + l2 v w), the value of a line; the coefficients have size one. */
export function multiplyByLine(a: usize, l0: usize, l1: usize, l2: usize): void {
  multiplySparseFp6(A, a, l0, l1)
  multiplyByMiddleFp6(B, a + FP6, l2)
  addFp6(C, a, a + FP6)
  add(MIDDLE, l1, l2)
  multiplySparseFp6(C, C, l0, MIDDLE)
  takeKaratsuba(a)
}

/** out = a^(p^6), which is the inverse of an element of the cyclotomic subgroup. */
export function conjugateFp12(out: usize, a: usize): void {
  if (out != a) memory.copy(out, a, FP6)
  for (let i = 3; i < 6; i++) negate(out + ELEMENT * i, a + ELEMENT * i)
}

/** out = 1 / a = (a0 - a1 w) / (a0^2 - v a1^2). */
export function invertFp12(out: usize, a: usize): void {
  multiplyFp6(A, a, a)
  multiplyFp6(B, a + FP6, a + FP6)
  for (let i = 0; i < 3; i++) negate(B + ELEMENT * i, B + ELEMENT * i)
  addTimesV(A, A, B)
  reduceFp6(A)
  invertFp6(A, A)
  multiplyFp6(out, a, A)
  multiplyFp6(B, a + FP6, A)
  for (let i = 0; i < 3; i++) negate(out + FP6 + ELEMENT * i, B + ELEMENT * i)
}

/** Slot of w^i. */
@inline
function slotOf(i: i32): i32 {
  return (i & 1) * FP6 + (i >> 1) * ELEMENT
}

/** out = a^p. */
export function applyFrobenius(out: usize, a: usize): void {
  conjugate(out, a)
  for (let i = 1; i < 6; i++) {
    const slot = slotOf(i)
    conjugate(out + slot, a + slot)
    multiplyFp2(out + slot, out + slot, FROBENIUS + ELEMENT * (i - 1))
  }
}

/** out = a^(p^2). */
export function applyFrobeniusSquared(out: usize, a: usize): void {
  copy(out, a)
  for (let i = 1; i < 6; i++) {
    const slot = slotOf(i)
    multiplyFp2(out + slot, a + slot, FROBENIUS_SQUARED + ELEMENT * (i - 1))
  }
}

/** a = a^2 in the cyclotomic subgroup (Granger and Scott, eprint 2009/565, section 3.2). */
export function squareCyclotomic(a: usize): void {
  squareFp4(a, a + FP6 + C1)
  tripleMinus(T0, a)
  triplePlus(T1, a + FP6 + C1)
  // The results of w^1 and w^4 belong to w^2 and w^5, and vice versa.
  squareFp4(a + FP6, a + C2)
  copy(KEPT_EVEN, T0)
  copy(KEPT_ODD, T1)
  squareFp4(a + C1, a + FP6 + C2)
  timesXi(T1, T1)
  reduce(T1, T1)
  tripleMinus(T0, a + C2)
  triplePlus(T1, a + FP6)
  tripleMinus(KEPT_EVEN, a + C1)
  triplePlus(KEPT_ODD, a + FP6 + C2)
}

/** (T0, T1) = (x + y t)^2 with t^2 = xi: x^2 + xi y^2 and 2 x y, both of size one. */
function squareFp4(x: usize, y: usize): void {
  squareFp2(T0, y)
  timesXi(T0, T0)
  squareFp2(T2, x)
  add(T0, T0, T2)
  reduce(T0, T0)
  twice(T1, x)
  multiplyFp2(T1, T1, y)
}

/** a = 3 t - 2 a. */
function tripleMinus(t: usize, a: usize): void {
  thrice(T2, t)
  subtract(T2, T2, a)
  subtract(T2, T2, a)
  reduce(a, T2)
}

/** a = 3 t + 2 a. */
function triplePlus(t: usize, a: usize): void {
  thrice(T2, t)
  add(T2, T2, a)
  add(T2, T2, a)
  reduce(a, T2)
}
