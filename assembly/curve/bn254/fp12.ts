/**
 * Fp12 = Fp6[w] / (w^2 - v): c0 + c1 * w. By powers of w the coefficients are c0.0, c1.0, c0.1, c1.1, c0.2, c1.2.
 * Elements and outputs are tight. An output may be an operand.
 */
import {
  addLoose as addLooseFp2,
  conjugate as conjugateFp2,
  FROBENIUS,
  multiplyByXi,
  multiply as multiplyFp2,
  ONE,
  sixPlusTwice,
  square as squareFp2,
  sumOfThree,
  thriceMinusTwice,
} from '../generated/bn254-fp2'
import { copy as copyFp2, FP2, isEqual as isEqualFp2, isZero as isZeroFp2 } from './fp2'
import {
  add,
  addLoose,
  copy as copyFp6,
  FP6,
  inverse as inverseFp6,
  multiplyByV,
  multiply as multiplyFp6,
  negate,
  subtract,
  subtractBoth,
} from './fp6'

/** Bytes of an element. */
export const FP12: i32 = 2 * FP6

const S0: usize = memory.data(FP6, 16)
const S1: usize = memory.data(FP6, 16)
const S2: usize = memory.data(FP6, 16)
const RESULT: usize = memory.data(FP12, 16)
const XI_L1: usize = memory.data(FP2, 16)
const XI_L3: usize = memory.data(FP2, 16)
const U0: usize = memory.data(FP2, 16)
const U1: usize = memory.data(FP2, 16)

export function copy(out: usize, a: usize): void {
  memory.copy(out, a, FP12)
}

export function setOne(out: usize): void {
  memory.fill(out, 0, FP12)
  copyFp2(out, ONE)
}

export function isOne(a: usize): bool {
  if (!isEqualFp2(a, ONE)) return false
  for (let i = 1; i < 6; i++) if (!isZeroFp2(a + FP2 * i)) return false
  return true
}

/** out = c0 - c1 * w, which is a^(p^6) and, in the cyclotomic subgroup, the inverse. */
export function conjugate(out: usize, a: usize): void {
  copyFp6(out, a)
  negate(out + FP6, a + FP6)
}

/** out = a * b by Karatsuba. */
export function multiply(out: usize, a: usize, b: usize): void {
  addLoose(S0, a, a + FP6)
  addLoose(S1, b, b + FP6)
  multiplyFp6(S0, S0, S1)
  multiplyFp6(S1, a, b)
  multiplyFp6(S2, a + FP6, b + FP6)
  subtractBoth(out + FP6, S0, S1, S2)
  multiplyByV(S2, S2)
  add(out, S1, S2)
}

/** out = a^2: (c0 + c1) * (c0 + v c1) contains both c0^2 + v c1^2 and the mixed product. */
export function square(out: usize, a: usize): void {
  multiplyByV(S1, a + FP6)
  addLoose(S1, a, S1)
  addLoose(S0, a, a + FP6)
  multiplyFp6(S0, S0, S1)
  multiplyFp6(S1, a, a + FP6)
  multiplyByV(S2, S1)
  subtractBoth(out, S0, S1, S2)
  add(out + FP6, S1, S1)
}

/** a = a * (l0 + l1 * w + l3 * w^3) with coefficients in Fp2: three products per reduction. */
export function multiplyByLine(a: usize, l0: usize, l1: usize, l3: usize): void {
  const x0 = a
  const x1 = a + FP2
  const x2 = a + 2 * FP2
  const y0 = a + FP6
  const y1 = a + FP6 + FP2
  const y2 = a + FP6 + 2 * FP2
  multiplyByXi(XI_L1, l1)
  multiplyByXi(XI_L3, l3)
  sumOfThree(RESULT, x0, l0, y2, XI_L1, y1, XI_L3)
  sumOfThree(RESULT + FP2, x1, l0, y0, l1, y2, XI_L3)
  sumOfThree(RESULT + 2 * FP2, x2, l0, y1, l1, y0, l3)
  sumOfThree(RESULT + 3 * FP2, y0, l0, x0, l1, x2, XI_L3)
  sumOfThree(RESULT + 4 * FP2, y1, l0, x1, l1, x0, l3)
  sumOfThree(RESULT + 5 * FP2, y2, l0, x2, l1, x1, l3)
  copy(a, RESULT)
}

/** out = 1 / a = (c0 - c1 * w) / (c0^2 - v c1^2), for non-zero `a`. */
export function inverse(out: usize, a: usize): void {
  multiplyFp6(S0, a, a)
  multiplyFp6(S1, a + FP6, a + FP6)
  multiplyByV(S1, S1)
  subtract(S0, S0, S1)
  inverseFp6(S0, S0)
  multiplyFp6(out, a, S0)
  multiplyFp6(out + FP6, a + FP6, S0)
  negate(out + FP6, out + FP6)
}

/** out = a^p: conjugates times powers of xi. */
export function frobenius(out: usize, a: usize): void {
  conjugateFp2(out, a)
  for (let i = 1; i < 6; i++) {
    // The coefficient of w^i.
    const offset = (i & 1) * FP6 + (i >> 1) * FP2
    conjugateFp2(U0, a + offset)
    multiplyFp2(out + offset, U0, FROBENIUS + FP2 * (i - 1))
  }
}

/**
 * out = a^2 for an element of the cyclotomic subgroup (Granger and Scott, "Faster squaring in the
 * cyclotomic subgroup of sixth degree extensions", 2010): three squares in Fp4 = Fp2[w^3].
 */
export function squareCyclotomic(out: usize, a: usize): void {
  const x0 = a
  const x1 = a + FP2
  const x2 = a + 2 * FP2
  const y0 = a + FP6
  const y1 = a + FP6 + FP2
  const y2 = a + FP6 + 2 * FP2
  squareFp4(RESULT, RESULT + 4 * FP2, x0, y1)
  squareFp4(RESULT + FP2, RESULT + 5 * FP2, y0, x2)
  squareFp4(RESULT + 2 * FP2, RESULT + 3 * FP2, x1, y2)
  multiplyByXi(RESULT + 3 * FP2, RESULT + 3 * FP2)
  for (let i = 0; i < 3 * FP2; i += FP2) {
    thriceMinusTwice(out + i, RESULT + i, a + i)
    sixPlusTwice(out + FP6 + i, RESULT + FP6 + i, a + FP6 + i)
  }
}

/** (x + y * w^3)^2: re = x^2 + xi y^2, loose, and half the other coefficient, x * y. */
function squareFp4(re: usize, half: usize, x: usize, y: usize): void {
  multiplyFp2(half, x, y)
  squareFp2(U0, x)
  squareFp2(U1, y)
  multiplyByXi(U1, U1)
  addLooseFp2(re, U0, U1)
}
