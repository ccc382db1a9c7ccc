import { SCRATCH } from '../layout'
import { multiply } from './multiply'
import { bitLength, copyWord, fitsLimb, isPowerOfTwo, setWord } from './word'

const BASE: usize = SCRATCH + 384
const EXPONENT: usize = SCRATCH + 416
const RESULT: usize = SCRATCH + 448

/** A power of two to a power below 2^64: one bit, or none. */
function powerOfTwo(out: usize, bits: u64, exponent: u64): void {
  setWord(out, 0)
  if (bits != 0 && exponent > 255) return
  const bit = bits * exponent
  if (bit < 256) store<u64>(out + (usize(bit >> 6) << 3), (1 as u64) << (bit & 63))
}

/** base ^ exponent modulo 2^256, by squaring from the top bit. */
export function power(out: usize, base: usize, exponent: usize): void {
  // 256 ** n is how compilers without shifts place a byte
  if (isPowerOfTwo(base) && fitsLimb(exponent)) {
    return powerOfTwo(out, u64(bitLength(base) - 1), load<u64>(exponent))
  }
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
