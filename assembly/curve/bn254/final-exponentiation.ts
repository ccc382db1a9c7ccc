/**
 * The final exponentiation of pairings on BN254: a power that is one exactly if the product of the pairings is one.
 * The exponent is a multiple of (p^12 - 1) / order, prime to the order (Fuentes-Castaneda, Knapp and
 * Rodriguez-Henriquez, "Faster hashing to G2", 2011).
 */
import { PARAMETER, PARAMETER_LENGTH } from '../generated/bn254-fp2'
import { conjugate, copy, FP12, frobenius, inverse, multiply, squareCyclotomic } from './fp12'

const BASE: usize = memory.data(FP12, 16)
const BASE_INVERSE: usize = memory.data(FP12, 16)
const F: usize = memory.data(FP12, 16)
const X2: usize = memory.data(FP12, 16)
const X6: usize = memory.data(FP12, 16)
const A: usize = memory.data(FP12, 16)
const B: usize = memory.data(FP12, 16)

/** f = f^((p^6 - 1) (p^2 + 1) h) for non-zero f; h is a multiple of (p^4 - p^2 + 1) / order. */
export function raiseToCofactor(f: usize): void {
  inverse(B, f)
  conjugate(F, f)
  multiply(F, F, B)
  frobenius(B, F)
  frobenius(B, B)
  multiply(F, B, F)

  // From here an inverse is a conjugate. h = h0 + h1 p + h2 p^2 + h3 p^3 with, in terms of u, h2 = 6u + 6u^2 + 12u^3,
  // h0 = h2 + 6u^2 + 1, h1 = h2 - 2u and h3 = h1 - 1.
  raiseToParameter(X2, F)
  squareCyclotomic(X2, X2)
  squareCyclotomic(X6, X2)
  multiply(X6, X6, X2)
  raiseToParameter(B, X6)
  squareCyclotomic(A, B)
  raiseToParameter(A, A)
  multiply(A, A, B)
  multiply(A, A, X6)

  // f^h by Horner's rule in p.
  multiply(X6, A, B)
  multiply(X6, X6, F)
  conjugate(X2, X2)
  multiply(B, A, X2)
  conjugate(F, F)
  multiply(F, F, B)
  frobenius(F, F)
  multiply(F, F, A)
  frobenius(F, F)
  multiply(F, F, B)
  frobenius(F, F)
  multiply(f, F, X6)
}

/** out = a^u for a cyclotomic `a`. */
function raiseToParameter(out: usize, a: usize): void {
  copy(BASE, a)
  conjugate(BASE_INVERSE, a)
  copy(out, a)
  for (let i = PARAMETER_LENGTH - 2; i >= 0; i--) {
    squareCyclotomic(out, out)
    const digit = load<i8>(PARAMETER + i)
    if (digit != 0) multiply(out, out, digit > 0 ? BASE : BASE_INVERSE)
  }
}
