/**
 * Fp6 = Fp2[v] / (v^3 - xi): c0 + c1 * v + c2 * v^2, three consecutive elements of Fp2. Outputs are tight and may be
 * an operand. Products take loose operands.
 */
import {
  add as addFp2,
  addLoose as addLooseFp2,
  multiplyByXi,
  multiply as multiplyFp2,
  negate as negateFp2,
  square as squareFp2,
  subtractBoth as subtractBothFp2,
  subtract as subtractFp2,
  sumOfThree,
} from '../generated/bn254-fp2'
import { copy as copyFp2, FP2, inverse as inverseFp2 } from './fp2'

/** Bytes of an element. */
export const FP6: i32 = 3 * FP2

const T0: usize = memory.data(FP2, 16)
const T1: usize = memory.data(FP2, 16)
const T2: usize = memory.data(FP2, 16)
const T3: usize = memory.data(FP2, 16)
const XI_B1: usize = memory.data(FP2, 16)
const XI_B2: usize = memory.data(FP2, 16)

export function copy(out: usize, a: usize): void {
  memory.copy(out, a, FP6)
}

/** out = a + b, loose; both operands are tight. */
export function addLoose(out: usize, a: usize, b: usize): void {
  addLooseFp2(out, a, b)
  addLooseFp2(out + FP2, a + FP2, b + FP2)
  addLooseFp2(out + 2 * FP2, a + 2 * FP2, b + 2 * FP2)
}

/** out = a + b; both operands are tight, as below. */
export function add(out: usize, a: usize, b: usize): void {
  addFp2(out, a, b)
  addFp2(out + FP2, a + FP2, b + FP2)
  addFp2(out + 2 * FP2, a + 2 * FP2, b + 2 * FP2)
}

export function subtract(out: usize, a: usize, b: usize): void {
  subtractFp2(out, a, b)
  subtractFp2(out + FP2, a + FP2, b + FP2)
  subtractFp2(out + 2 * FP2, a + 2 * FP2, b + 2 * FP2)
}

/** out = a - b - c */
export function subtractBoth(out: usize, a: usize, b: usize, c: usize): void {
  subtractBothFp2(out, a, b, c)
  subtractBothFp2(out + FP2, a + FP2, b + FP2, c + FP2)
  subtractBothFp2(out + 2 * FP2, a + 2 * FP2, b + 2 * FP2, c + 2 * FP2)
}

export function negate(out: usize, a: usize): void {
  negateFp2(out, a)
  negateFp2(out + FP2, a + FP2)
  negateFp2(out + 2 * FP2, a + 2 * FP2)
}

/** out = a * v */
export function multiplyByV(out: usize, a: usize): void {
  multiplyByXi(T0, a + 2 * FP2)
  copyFp2(out + 2 * FP2, a + FP2)
  copyFp2(out + FP2, a)
  copyFp2(out, T0)
}

/** out = a * b: the nine schoolbook products under three reductions. */
export function multiply(out: usize, a: usize, b: usize): void {
  const a1 = a + FP2
  const a2 = a + 2 * FP2
  const b1 = b + FP2
  const b2 = b + 2 * FP2
  multiplyByXi(XI_B1, b1)
  multiplyByXi(XI_B2, b2)
  sumOfThree(T0, a, b, a1, XI_B2, a2, XI_B1)
  sumOfThree(T1, a, b1, a1, b, a2, XI_B2)
  sumOfThree(out + 2 * FP2, a, b2, a1, b1, a2, b)
  copyFp2(out, T0)
  copyFp2(out + FP2, T1)
}

/**
 * out = 1 / a, for tight, non-zero `a`. The product of its conjugates is (a0^2 - xi a1 a2, xi a2^2 - a0 a1, a1^2 - a0
 * a2); that times `a` is in Fp2.
 */
export function inverse(out: usize, a: usize): void {
  const a1 = a + FP2
  const a2 = a + 2 * FP2
  squareFp2(T0, a)
  multiplyFp2(T3, a1, a2)
  multiplyByXi(T3, T3)
  subtractFp2(T0, T0, T3)
  squareFp2(T1, a2)
  multiplyByXi(T1, T1)
  multiplyFp2(T3, a, a1)
  subtractFp2(T1, T1, T3)
  squareFp2(T2, a1)
  multiplyFp2(T3, a, a2)
  subtractFp2(T2, T2, T3)

  multiplyByXi(XI_B1, T1)
  multiplyByXi(XI_B2, T2)
  sumOfThree(T3, a, T0, a2, XI_B1, a1, XI_B2)
  inverseFp2(T3, T3)
  multiplyFp2(out, T0, T3)
  multiplyFp2(out + FP2, T1, T3)
  multiplyFp2(out + 2 * FP2, T2, T3)
}
