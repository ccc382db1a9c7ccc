/** Fp6 = Fp2[v] / (v^3 - xi), xi = 1 + i: three slots. Karatsuba (Devegili et al., eprint 2006/471). */
import { add, copy, multiplyFp2, reduce, subtract, timesXi } from '../generated/bls12-381-field'
import { ELEMENT } from './fp'
import { invertFp2, squareFp2 } from './fp2'

export const C1: i32 = ELEMENT
export const C2: i32 = 2 * ELEMENT
export const FP6: i32 = 3 * ELEMENT

const T0: usize = memory.data(ELEMENT, 16)
const T1: usize = memory.data(ELEMENT, 16)
const T2: usize = memory.data(ELEMENT, 16)
const LEFT: usize = memory.data(ELEMENT, 16)
const RIGHT: usize = memory.data(ELEMENT, 16)
const X: usize = memory.data(ELEMENT, 16)
const Y: usize = memory.data(ELEMENT, 16)
const W: usize = memory.data(ELEMENT, 16)

export function addFp6(out: usize, a: usize, b: usize): void {
  add(out, a, b)
  add(out + C1, a + C1, b + C1)
  add(out + C2, a + C2, b + C2)
}

export function subtractFp6(out: usize, a: usize, b: usize): void {
  subtract(out, a, b)
  subtract(out + C1, a + C1, b + C1)
  subtract(out + C2, a + C2, b + C2)
}

export function reduceFp6(a: usize): void {
  reduce(a, a)
  reduce(a + C1, a + C1)
  reduce(a + C2, a + C2)
}

/** out = a + v * b. The top coefficient of b is reduced to size two, so the size of out is that of a plus two. */
export function addTimesV(out: usize, a: usize, b: usize): void {
  timesXi(X, b + C2)
  // From the top coefficient down, so that out may be a or b.
  add(out + C2, a + C2, b + C1)
  add(out + C1, a + C1, b)
  add(out, a, X)
}

/** out = a * b; both of size two at most, out of size one. */
export function multiplyFp6(out: usize, a: usize, b: usize): void {
  multiplyFp2(T0, a, b)
  multiplyFp2(T1, a + C1, b + C1)
  multiplyFp2(T2, a + C2, b + C2)

  add(LEFT, a + C1, a + C2)
  add(RIGHT, b + C1, b + C2)
  multiplyFp2(X, LEFT, RIGHT)
  add(LEFT, a, a + C1)
  add(RIGHT, b, b + C1)
  multiplyFp2(Y, LEFT, RIGHT)
  add(LEFT, a, a + C2)
  add(RIGHT, b, b + C2)
  multiplyFp2(W, LEFT, RIGHT)

  subtract(X, X, T1)
  subtract(X, X, T2)
  timesXi(X, X)
  add(X, X, T0)
  reduce(out, X)

  subtract(Y, Y, T0)
  subtract(Y, Y, T1)
  timesXi(X, T2)
  add(Y, Y, X)
  reduce(out + C1, Y)

  subtract(W, W, T0)
  subtract(W, W, T2)
  add(W, W, T1)
  reduce(out + C2, W)
}

/** out = a * (b0 + b1 v); all of size two at most, out of size one. */
export function multiplySparseFp6(out: usize, a: usize, b0: usize, b1: usize): void {
  multiplyFp2(T0, a, b0)
  multiplyFp2(T1, a + C1, b1)
  multiplyFp2(X, a + C2, b1)
  add(LEFT, a, a + C1)
  add(RIGHT, b0, b1)
  multiplyFp2(Y, LEFT, RIGHT)
  multiplyFp2(W, a + C2, b0)

  timesXi(X, X)
  add(X, X, T0)
  reduce(out, X)
  subtract(Y, Y, T0)
  subtract(Y, Y, T1)
  reduce(out + C1, Y)
  add(W, W, T1)
  reduce(out + C2, W)
}

/** out = a * b1 v; a of size two at most, out of size one. */
export function multiplyByMiddleFp6(out: usize, a: usize, b1: usize): void {
  multiplyFp2(X, a + C2, b1)
  multiplyFp2(Y, a, b1)
  multiplyFp2(out + C2, a + C1, b1)
  timesXi(X, X)
  reduce(out, X)
  copy(out + C1, Y)
}

/** out = 1 / a, for non-zero a of size one. */
export function invertFp6(out: usize, a: usize): void {
  // X = a0^2 - xi a1 a2, Y = xi a2^2 - a0 a1, W = a1^2 - a0 a2
  multiplyFp2(T0, a + C1, a + C2)
  timesXi(T0, T0)
  squareFp2(X, a)
  subtract(X, X, T0)
  reduce(X, X)
  squareFp2(T0, a + C2)
  timesXi(Y, T0)
  multiplyFp2(T0, a, a + C1)
  subtract(Y, Y, T0)
  reduce(Y, Y)
  squareFp2(W, a + C1)
  multiplyFp2(T0, a, a + C2)
  subtract(W, W, T0)
  // The norm: a0 X + xi (a2 Y + a1 W)
  multiplyFp2(T0, a + C2, Y)
  multiplyFp2(T1, a + C1, W)
  add(T0, T0, T1)
  timesXi(T0, T0)
  multiplyFp2(T1, a, X)
  add(T0, T0, T1)
  reduce(T0, T0)
  invertFp2(T0, T0)
  multiplyFp2(out, X, T0)
  multiplyFp2(out + C1, Y, T0)
  multiplyFp2(out + C2, W, T0)
}
