/** Products modulo a number, by the method that suits it. One ring is active at a time. */
import {
  ELEMENT,
  isLess as isLessWide,
  repack,
  subtract as subtractWide,
  LIMB_BITS as UNROLLED_BITS,
  LIMBS as WIDE_LIMBS,
} from '../curve/limbs'
import { reduceByDivisor, setDivisor } from './divide'
import {
  montgomeryMultiply as multiplyNarrow,
  montgomerySquare as squareNarrow,
} from './generated/montgomery-143'
import {
  montgomeryMultiply as multiplyWide,
  montgomerySquare as squareWide,
} from './generated/montgomery-256'
import {
  bitsOf,
  copyNumber,
  inverseOfLimb,
  isLess,
  LIMB_BITS,
  lengthOf,
  MAX_LIMBS,
  pad,
  shiftLeft,
  subtract,
} from './limbs'
import { reduceMontgomery } from './montgomery'
import { COLUMNS, multiply, multiplyLow, square, takeLimbs } from './product'
import { ROWS, wholeRows } from './rows'
import { inverseOfWord } from './word'

/** Odd, up to 143 bits: five 29-bit limbs in Montgomery form, unrolled. */
const NARROW: i32 = 0
/** Odd, up to 256 bits: nine 29-bit limbs in Montgomery form, unrolled. */
const WIDE: i32 = 1
/** Odd, of any length: limbs in Montgomery form. */
const MONTGOMERY: i32 = 2
/** A power of two: limbs, truncated products. */
const TWOS: i32 = 3
/** Any modulus: limbs, divided products. */
const PLAIN: i32 = 4

const NARROW_LIMBS: i32 = 5
const NARROW_MAX_BITS: u32 = 143
const WIDE_MAX_BITS: u32 = 256

let kind: i32 = PLAIN
let modulus: usize = 0
let limbs: i32 = 0
let inverse: u32 = 0
const UNROLLED_MODULUS: usize = memory.data(ELEMENT)
/** The modulus of the Montgomery form, padded to whole rows. */
const PADDED: usize = memory.data(4 * (MAX_LIMBS + 16))
const SHIFTED: usize = memory.data(4 * (MAX_LIMBS + 16))

/** Sets the modulus at `address`, which is odd, above 1 and without leading zeros. */
export function setOddRing(address: usize, count: i32): void {
  modulus = address
  limbs = count
  const bits = bitsOf(address, count)
  if (bits <= WIDE_MAX_BITS) {
    kind = bits <= NARROW_MAX_BITS ? NARROW : WIDE
    repack(UNROLLED_MODULUS, UNROLLED_BITS, WIDE_LIMBS, address, LIMB_BITS, count)
    const low = load<u32>(UNROLLED_MODULUS)
    inverse = (0 - (inverseOfWord(low) as u32)) & ((1 << UNROLLED_BITS) - 1)
  } else {
    kind = MONTGOMERY
    // Two spare bits make final subtractions unnecessary.
    limbs = wholeRows((bits + 2 + LIMB_BITS - 1) / LIMB_BITS)
    copyNumber(PADDED, address, count, limbs)
    inverse = (0 - inverseOfLimb(load<u32>(address))) & ((1 << LIMB_BITS) - 1)
  }
}

/** Sets the ring modulo 2^(28 * count), or modulo a smaller power of two. */
export function setTwosRing(count: i32): void {
  kind = TWOS
  limbs = wholeRows(count)
}

/** Sets the ring modulo any number. */
export function setPlainRing(address: usize, count: i32): void {
  kind = PLAIN
  modulus = address
  limbs = count
  setDivisor(address, count)
}

/** Returns the bytes from one element to the next in a table. */
export function elementSize(): usize {
  if (kind <= WIDE) return ELEMENT
  return 4 * (limbs + ROWS)
}

/** out = the element of a number. */
export function enterRing(out: usize, a: usize, count: i32): void {
  switch (kind) {
    case NARROW:
    case WIDE:
      // The radix of the Montgomery form
      count = shiftLeft(
        SHIFTED,
        a,
        count,
        UNROLLED_BITS * (kind == NARROW ? NARROW_LIMBS : WIDE_LIMBS),
      )
      setDivisor(modulus, limbs)
      fillColumns(0, SHIFTED, count)
      reduceByDivisor(SHIFTED, count)
      return repack(out, UNROLLED_BITS, WIDE_LIMBS, SHIFTED, LIMB_BITS, limbs)
    case MONTGOMERY: {
      const significant = lengthOf(PADDED, limbs)
      setDivisor(modulus, significant)
      fillColumns(limbs, a, count)
      reduceByDivisor(SHIFTED, limbs + count)
      return copyNumber(out, SHIFTED, significant, limbs)
    }
    case TWOS:
      return copyNumber(out, a, count, limbs)
    default:
      if (count < limbs || (count == limbs && isLess(a, modulus, limbs))) {
        return copyNumber(out, a, count, limbs)
      }
      fillColumns(0, a, count)
      reduceByDivisor(out, count)
      return pad(out + 4 * limbs)
  }
}

/** out = the number of an element, without leading zeros. Returns its limbs. */
export function leaveRing(out: usize, a: usize): i32 {
  switch (kind) {
    case NARROW:
    case WIDE:
      memory.fill(SHIFTED, 0, ELEMENT)
      store<u32>(SHIFTED, 1)
      multiplyInRing(SHIFTED, a, SHIFTED)
      if (!isLessWide(SHIFTED, UNROLLED_MODULUS)) subtractWide(SHIFTED, SHIFTED, UNROLLED_MODULUS)
      repack(out, LIMB_BITS, limbs, SHIFTED, UNROLLED_BITS, WIDE_LIMBS)
      break
    case MONTGOMERY:
      fillColumns(0, a, limbs)
      memory.fill(COLUMNS + 8 * limbs, 0, 8 * limbs + 8)
      reduceMontgomery(out, PADDED, limbs, inverse)
      if (!isLess(out, PADDED, limbs)) subtract(out, out, PADDED, limbs)
      break
    default:
      copyNumber(out, a, limbs, limbs)
  }
  pad(out + 4 * limbs)
  return lengthOf(out, limbs)
}

/** out = a * b; `out` may be either. */
export function multiplyInRing(out: usize, a: usize, b: usize): void {
  switch (kind) {
    case NARROW:
      return multiplyNarrow(out, a, b, UNROLLED_MODULUS, inverse)
    case WIDE:
      return multiplyWide(out, a, b, UNROLLED_MODULUS, inverse)
    case MONTGOMERY:
      multiply(a, limbs, b, limbs, 2 * limbs)
      return reduceMontgomery(out, PADDED, limbs, inverse)
    case TWOS:
      return multiplyLow(out, a, b, limbs)
    default:
      multiply(a, limbs, b, limbs, 2 * wholeRows(limbs))
      reduceByDivisor(out, 2 * limbs)
      return pad(out + 4 * limbs)
  }
}

/** out = out^(2^times). */
export function squareInRing(out: usize, times: u32): void {
  for (; times > 0; times--) {
    switch (kind) {
      case NARROW:
        squareNarrow(out, out, UNROLLED_MODULUS, inverse)
        break
      case WIDE:
        squareWide(out, out, UNROLLED_MODULUS, inverse)
        break
      case MONTGOMERY:
        square(out, limbs, 2 * limbs)
        reduceMontgomery(out, PADDED, limbs, inverse)
        break
      case TWOS:
        square(out, limbs, limbs)
        takeLimbs(out, COLUMNS, limbs)
        break
      default:
        square(out, wholeRows(limbs), 2 * wholeRows(limbs))
        reduceByDivisor(out, 2 * limbs)
        pad(out + 4 * limbs)
    }
  }
}

/** COLUMNS = a * 2^(28 * skipped). */
function fillColumns(skipped: i32, a: usize, count: i32): void {
  memory.fill(COLUMNS, 0, 8 * skipped)
  const columns = COLUMNS + 8 * skipped
  for (let i: usize = 0, end: usize = 4 * count; i < end; i += 4) {
    store<u64>(columns + 2 * i, load<u32>(a + i))
  }
}
