import { POWER_BASE, POWER_EXPONENT, POWER_RESULT } from '../layout'
import { multiply } from './multiply'
import { bitLength, copyWord, fitsLimb, isPowerOfTwo, setWord } from './word'

/** A power of two to a power below 2^64: one bit, or zero. */
function powerOfTwo(out: usize, bits: u64, exponent: u64): void {
  setWord(out, 0)
  if (bits != 0 && exponent > 255) return
  const bit = bits * exponent
  if (bit < 256) store<u64>(out + (usize(bit >> 6) << 3), (1 as u64) << (bit & 63))
}

/** base ^ exponent modulo 2^256, by squaring from the top bit. */
export function power(out: usize, base: usize, exponent: usize): void {
  // Compilers without shifts use 256 ** n to position a byte
  if (isPowerOfTwo(base) && fitsLimb(exponent)) {
    return powerOfTwo(out, u64(bitLength(base) - 1), load<u64>(exponent))
  }
  copyWord(POWER_BASE, base)
  copyWord(POWER_EXPONENT, exponent)
  const length = i32(bitLength(POWER_EXPONENT))
  if (length == 0) return setWord(out, 1)
  copyWord(POWER_RESULT, POWER_BASE)
  for (let bit = length - 2; bit >= 0; bit--) {
    multiply(POWER_RESULT, POWER_RESULT, POWER_RESULT)
    if (((load<u64>(POWER_EXPONENT + (usize(bit >> 6) << 3)) >> u64(bit & 63)) & 1) != 0) {
      multiply(POWER_RESULT, POWER_RESULT, POWER_BASE)
    }
  }
  copyWord(out, POWER_RESULT)
}
