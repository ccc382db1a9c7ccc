/** Square roots of quads. */
import { multiply, square } from '../generated/secp256k1-lanes'
import { QUAD } from './quad'

const ONES_2: usize = memory.data(QUAD, 16)
const ONES_3: usize = memory.data(QUAD, 16)
const ONES_22: usize = memory.data(QUAD, 16)
const ONES_44: usize = memory.data(QUAD, 16)
const ONES_88: usize = memory.data(QUAD, 16)

/** out = a^((p + 1) / 4), a root of `a` if it has one: 253 squarings and 13 multiplications. */
export function squareRoot(out: usize, a: usize): void {
  // ONES_n is a^(2^n - 1): the exponent is 223 ones, a zero, 22 ones, four zeros, two ones, two zeros.
  squareTimes(out, a, 1)
  multiply(ONES_2, out, a)
  squareTimes(out, ONES_2, 1)
  multiply(ONES_3, out, a)
  squareTimes(out, ONES_3, 3)
  multiply(out, out, ONES_3)
  squareTimes(out, out, 3)
  multiply(out, out, ONES_3)
  squareTimes(out, out, 2)
  multiply(ONES_22, out, ONES_2)
  squareTimes(out, ONES_22, 11)
  multiply(ONES_22, out, ONES_22)
  squareTimes(out, ONES_22, 22)
  multiply(ONES_44, out, ONES_22)
  squareTimes(out, ONES_44, 44)
  multiply(ONES_88, out, ONES_44)
  squareTimes(out, ONES_88, 88)
  multiply(out, out, ONES_88)
  squareTimes(out, out, 44)
  multiply(out, out, ONES_44)
  squareTimes(out, out, 3)
  multiply(out, out, ONES_3)
  squareTimes(out, out, 23)
  multiply(out, out, ONES_22)
  squareTimes(out, out, 6)
  multiply(out, out, ONES_2)
  squareTimes(out, out, 2)
}

function squareTimes(out: usize, a: usize, times: i32): void {
  square(out, a)
  for (let i = 1; i < times; i++) square(out, out)
}
