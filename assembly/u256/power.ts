import { SCRATCH } from '../layout'
import { multiply } from './multiply'
import { bitLength, copyWord, setWord } from './word'

const BASE: usize = SCRATCH + 384
const EXPONENT: usize = SCRATCH + 416
const RESULT: usize = SCRATCH + 448

/** base ^ exponent modulo 2^256, by squaring from the top bit. */
export function power(out: usize, base: usize, exponent: usize): void {
  copyWord(BASE, base)
  copyWord(EXPONENT, exponent)
  setWord(RESULT, 1)
  for (let bit = i32(bitLength(EXPONENT)) - 1; bit >= 0; bit--) {
    multiply(RESULT, RESULT, RESULT)
    if (((load<u64>(EXPONENT + (usize(bit >> 6) << 3)) >> u64(bit & 63)) & 1) != 0) {
      multiply(RESULT, RESULT, BASE)
    }
  }
  copyWord(out, RESULT)
}
