/**
 * Powers modulo a number of any length.
 *
 * A modulus is an odd number times 2^k. The power is computed modulo the odd part in Montgomery form, and modulo 2^k
 * by products truncated at k bits; the Chinese remainder theorem joins them. An exponent of a few bits does not repay
 * the conversion to that form, so its products are divided by the modulus itself.
 */
import { exponentBits, exponentBitsBelow, exponentDigit, setExponent } from '../natural/exponent'
import {
  bitsOf,
  copyNumber,
  inverseOfLimb,
  LIMB_BITS,
  LIMB_MASK,
  MAX_BYTES,
  MAX_LIMBS,
  maskBits,
  pad,
  readNumber,
  shiftRight,
  subtract,
  trailingZeros,
  wordOf,
  writeNumber,
  writeWord,
} from '../natural/limbs'
import { COLUMNS, multiply, multiplyLow, takeLimbs } from '../natural/product'
import {
  elementSize,
  enterRing,
  leaveRing,
  multiplyInRing,
  setOddRing,
  setPlainRing,
  setTwosRing,
  squareInRing,
} from '../natural/ring'
import { powerModuloWord } from '../natural/word'

/** Bytes of the longest base or modulus. */
export const MAX_OPERAND: u32 = MAX_BYTES

/** Up to this many bits of the exponent, division is faster. */
const PLAIN_MAX_BITS: u64 = 3

const NUMBER: u32 = 4 * MAX_LIMBS
const MODULUS: usize = memory.data(NUMBER)
const BASE: usize = memory.data(NUMBER)
/** The modulus without its factors of two. */
const ODD: usize = memory.data(NUMBER)
/** The odd powers of the base, in sequence. */
const TABLE_SIZE: u32 = NUMBER + 64
const TABLE: usize = memory.data(TABLE_SIZE)
const SQUARE: usize = memory.data(NUMBER)
const RESULT: usize = memory.data(NUMBER)
const LOW_RESULT: usize = memory.data(NUMBER)
const ODD_INVERSE: usize = memory.data(NUMBER)
const STEP: usize = memory.data(NUMBER)

/** Number of odd powers in TABLE. */
let filled: u32 = 0

/**
 * Writes base^exponent modulo modulus to `out` as `modulusLength` big-endian bytes; all zeros for the moduli 0 and 1.
 * The three numbers are consecutive in the input from `offset`; bytes past its `length` are zeros. Base and modulus
 * are at most MAX_OPERAND bytes long.
 */
export function power(
  input: usize,
  length: u32,
  offset: u32,
  baseLength: u32,
  exponentLength: u32,
  modulusLength: u32,
  out: usize,
): void {
  const exponent = offset + baseLength
  const present = exponent < length ? min(length - exponent, exponentLength) : 0
  setExponent(input + exponent, present, exponentLength)
  const limbs = readNumber(
    MODULUS,
    input,
    length,
    (exponent as u64) + exponentLength,
    modulusLength,
  )

  if (limbs == 0 || (limbs == 1 && load<u32>(MODULUS) == 1))
    return memory.fill(out, 0, modulusLength)
  const bits = exponentBits()
  if (bits == 0 || baseLength == 0) return writeWord(out, modulusLength, bits == 0 ? 1 : 0)
  // The base precedes the modulus in the input, so a present byte of the modulus means a complete base.
  if (bitsOf(MODULUS, limbs) <= 64) {
    const value = powerModuloWord(input + offset, baseLength, wordOf(MODULUS, limbs))
    return writeWord(out, modulusLength, value)
  }
  const baseLimbs = readNumber(BASE, input, length, offset, baseLength)
  if (baseLimbs == 0) return writeWord(out, modulusLength, 0)

  const twos = trailingZeros(MODULUS)
  const oddLimbs = shiftRight(ODD, MODULUS, limbs, twos)
  const hasOdd = oddLimbs > 1 || load<u32>(ODD) != 1
  if (hasOdd && bits <= PLAIN_MAX_BITS) {
    setPlainRing(MODULUS, limbs)
    raise(baseLimbs, bits)
    return writeNumber(out, modulusLength, RESULT, leaveRing(RESULT, RESULT))
  }
  const lowLimbs = ((twos + LIMB_BITS - 1) / LIMB_BITS) as i32
  if (twos > 0) {
    powerModuloTwos(baseLimbs, lowLimbs, bits, twos)
    if (!hasOdd) return writeNumber(out, modulusLength, LOW_RESULT, lowLimbs)
  }
  setOddRing(ODD, oddLimbs)
  raise(baseLimbs, bits)
  const resultLimbs = leaveRing(RESULT, RESULT)
  if (twos == 0) return writeNumber(out, modulusLength, RESULT, resultLimbs)
  join(resultLimbs, oddLimbs, lowLimbs, twos)
  writeNumber(out, modulusLength, MODULUS, limbs)
}

/** LOW_RESULT = the power modulo 2^twos. */
function powerModuloTwos(baseLimbs: i32, limbs: i32, bits: u64, twos: u32): void {
  memory.fill(LOW_RESULT, 0, 4 * limbs + 16)
  // The power of an even base is zero here if its twos, times the exponent, are enough.
  if ((load<u32>(BASE) & 1) == 0) {
    if (bits > 32 || (trailingZeros(BASE) as u64) << (bits - 1) >= twos) return
  } else if (bits > twos) {
    // The powers of an odd base modulo 2^twos repeat after 2^twos of them, so a longer exponent is cut.
    bits = exponentBitsBelow(twos)
    if (bits == 0) {
      store<u32>(LOW_RESULT, 1)
      return
    }
  }
  setTwosRing(limbs)
  raise(baseLimbs, bits)
  leaveRing(LOW_RESULT, RESULT)
  maskBits(LOW_RESULT, limbs, twos)
  pad(LOW_RESULT + 4 * limbs)
}

/** MODULUS = RESULT + ODD * ((LOW_RESULT - RESULT) / ODD modulo 2^twos). */
function join(resultLimbs: i32, oddLimbs: i32, lowLimbs: i32, twos: u32): void {
  invertOdd(oddLimbs, lowLimbs)
  copyNumber(STEP, RESULT, resultLimbs, lowLimbs)
  subtract(STEP, LOW_RESULT, STEP, lowLimbs)
  multiplyLow(STEP, STEP, ODD_INVERSE, lowLimbs)
  maskBits(STEP, lowLimbs, twos)

  multiply(STEP, lowLimbs, ODD, oddLimbs, lowLimbs + oddLimbs)
  for (let i = 0; i < resultLimbs; i++) {
    const column = COLUMNS + 8 * i
    store<u64>(column, load<u64>(column) + load<u32>(RESULT + 4 * i))
  }
  takeLimbs(MODULUS, COLUMNS, lowLimbs + oddLimbs)
}

/** ODD_INVERSE = 1 / ODD modulo 2^(28 * limbs): Newton's step x * (2 - ODD * x) doubles the limbs. */
function invertOdd(oddLimbs: i32, limbs: i32): void {
  memory.fill(ODD_INVERSE, 0, 4 * limbs + 16)
  store<u32>(ODD_INVERSE, inverseOfLimb(load<u32>(ODD)))
  for (let known = 1; known < limbs; known *= 2) {
    const next = min(2 * known, limbs)
    copyNumber(STEP, ODD, oddLimbs, next)
    multiplyLow(STEP, STEP, ODD_INVERSE, next)
    let borrow: i32 = 2
    for (let i = 0; i < next; i++) {
      borrow -= load<i32>(STEP + 4 * i)
      store<u32>(STEP + 4 * i, borrow & LIMB_MASK)
      borrow >>= LIMB_BITS
    }
    multiplyLow(ODD_INVERSE, ODD_INVERSE, STEP, next)
  }
}

// Exponentiation

/** RESULT = BASE^exponent in the ring, for the exponent's low `bits`, by sliding windows of odd digits. */
function raise(baseLimbs: i32, bits: u64): void {
  const size = elementSize()
  const width = windowWidth(bits, size)
  enterRing(TABLE, BASE, baseLimbs)
  filled = 1
  let started = false
  while (bits > 0) {
    let taken = min<u64>(width, bits) as u32
    let digit = exponentDigit(bits - taken, taken)
    if (digit >> (taken - 1) == 0) {
      squareInRing(RESULT, 1)
      bits--
      continue
    }
    const zeros = ctz<u32>(digit)
    taken -= zeros
    digit >>= zeros
    const entry = oddPower(digit, size)
    if (started) {
      squareInRing(RESULT, taken)
      multiplyInRing(RESULT, RESULT, entry)
    } else {
      memory.copy(RESULT, entry, size)
      started = true
    }
    bits -= taken
  }
}

/** Returns the entry of TABLE for an odd digit. The table is filled on demand. */
function oddPower(digit: u32, size: usize): usize {
  const index = digit >> 1
  if (index > 0 && filled == 1) {
    memory.copy(SQUARE, TABLE, size)
    squareInRing(SQUARE, 1)
  }
  for (; filled <= index; filled++) {
    const entry = TABLE + size * filled
    multiplyInRing(entry, entry - size, SQUARE)
  }
  return TABLE + size * index
}

/** Returns the width with the fewest products for a random exponent whose table fits. */
function windowWidth(bits: u64, size: usize): u32 {
  let width: u32 = bits < 24 ? 2 : bits < 80 ? 3 : bits < 240 ? 4 : bits < 672 ? 5 : 6
  while (size << (width - 1) > TABLE_SIZE) width--
  return width
}
