/** Products modulo a number, by the method that suits it. One ring is set at a time. */
import {
  LIMBS as WIDE_LIMBS, LIMB_BITS as WIDE_BITS, ELEMENT, isLess as isLessWide,
  repack, subtract as subtractWide,
} from '../curve/limbs'
import { reduceByDivisor, setDivisor } from './divide'
import {
  LIMB_BITS, MAX_LIMBS, bitsOf, copyNumber, inverseOfLimb, isLess, lengthOf, pad, shiftLeft, subtract,
} from './limbs'
import { reduceMontgomery } from './montgomery'
import { montgomeryMultiply, montgomerySquare } from './generated/montgomery-256'
import { COLUMNS, multiply, multiplyLow, square } from './product'
import { inverseOfWord, multiplyWord, squareWord } from './word'

/** Odd, up to 64 bits: one u64 in Montgomery form. */
const WORD: i32 = 0
/** Odd, up to 256 bits: nine 29-bit limbs in Montgomery form, unrolled. */
const WIDE: i32 = 1
/** Odd, of any length: limbs in Montgomery form. */
const MONTGOMERY: i32 = 2
/** A power of two: limbs, products cut off. */
const TWOS: i32 = 3
/** Any modulus of two limbs or more: limbs, products divided. */
const PLAIN: i32 = 4

const WIDE_MAX_BITS: u32 = 256
/** The radix of the Montgomery form in nine limbs is 2^261. */
const WIDE_RADIX_BITS: u32 = WIDE_LIMBS * WIDE_BITS

let kind: i32 = PLAIN
let modulus: usize = 0
let limbs: i32 = 0
let inverse: u32 = 0
let word: u64 = 0
let wordInverse: u64 = 0
const WIDE_MODULUS: usize = memory.data(ELEMENT)
const SHIFTED: usize = memory.data(4 * (MAX_LIMBS + 16))

/** Makes `address`, which is odd, above 1 and without leading zeros, the modulus. */
export function setOddRing(address: usize, count: i32): void {
  modulus = address
  limbs = count
  const bits = bitsOf(address, count)
  if (bits <= 64) {
    kind = WORD
    word = wordAt(address)
    wordInverse = inverseOfWord(word)
  } else if (bits <= WIDE_MAX_BITS) {
    kind = WIDE
    repack(WIDE_MODULUS, WIDE_BITS, WIDE_LIMBS, address, LIMB_BITS, count)
    const low = load<u32>(WIDE_MODULUS)
    inverse = (0 - (inverseOfWord(low) as u32)) & ((1 << WIDE_BITS) - 1)
  } else {
    kind = MONTGOMERY
    // Two bits to spare make final subtractions unnecessary; the loops want an even number of limbs.
    limbs = ((bits + 2 + 2 * LIMB_BITS - 1) / (2 * LIMB_BITS)) * 2
    inverse = (0 - inverseOfLimb(load<u32>(address))) & ((1 << LIMB_BITS) - 1)
  }
}

/** The ring modulo 2^(28 * count). */
export function setTwosRing(count: i32): void {
  kind = TWOS
  limbs = count
}

/** The ring modulo any number of two limbs or more. */
export function setPlainRing(address: usize, count: i32): void {
  kind = PLAIN
  modulus = address
  limbs = count
  setDivisor(address, count)
}

/** Bytes from one element to the next in a table. */
export function elementSize(): usize {
  if (kind == WORD) return 8
  if (kind == WIDE) return ELEMENT
  return 4 * (limbs + 4)
}

/** out = the element of a number. */
export function enterRing(out: usize, a: usize, count: i32): void {
  switch (kind) {
    case WORD: return enterWord(out, a, count)
    case WIDE:
      count = shiftLeft(SHIFTED, a, count, WIDE_RADIX_BITS)
      setDivisor(modulus, limbs)
      fillColumns(0, SHIFTED, count)
      reduceByDivisor(SHIFTED, count)
      return repack(out, WIDE_BITS, WIDE_LIMBS, SHIFTED, LIMB_BITS, limbs)
    case MONTGOMERY: {
      const significant = lengthOf(modulus, limbs)
      setDivisor(modulus, significant)
      fillColumns(limbs, a, count)
      reduceByDivisor(SHIFTED, limbs + count)
      return copyNumber(out, SHIFTED, significant, limbs)
    }
    case TWOS: return copyNumber(out, a, count, limbs)
    default:
      if (count < limbs || (count == limbs && isLess(a, modulus, limbs))) {
        return copyNumber(out, a, count, limbs)
      }
      fillColumns(0, a, count)
      reduceByDivisor(out, count)
      return pad(out + 4 * limbs)
  }
}

/** out = the number of an element, without leading zeros; returns its limbs. */
export function leaveRing(out: usize, a: usize): i32 {
  switch (kind) {
    case WORD:
      storeWord(out, multiplyWord(load<u64>(a), 1, word, wordInverse))
      return lengthOf(out, 3)
    case WIDE:
      memory.fill(SHIFTED, 0, ELEMENT)
      store<u32>(SHIFTED, 1)
      montgomeryMultiply(SHIFTED, a, SHIFTED, WIDE_MODULUS, inverse)
      if (!isLessWide(SHIFTED, WIDE_MODULUS)) subtractWide(SHIFTED, SHIFTED, WIDE_MODULUS)
      repack(out, LIMB_BITS, limbs, SHIFTED, WIDE_BITS, WIDE_LIMBS)
      break
    case MONTGOMERY:
      fillColumns(0, a, limbs)
      memory.fill(COLUMNS + 8 * limbs, 0, 8 * limbs + 8)
      reduceMontgomery(out, modulus, limbs, inverse)
      if (!isLess(out, modulus, limbs)) subtract(out, out, modulus, limbs)
      break
    default: copyNumber(out, a, limbs, limbs)
  }
  pad(out + 4 * limbs)
  return lengthOf(out, limbs)
}

/** out = a * b; `out` may be either. */
export function multiplyInRing(out: usize, a: usize, b: usize): void {
  switch (kind) {
    case WORD: return store<u64>(out, multiplyWord(load<u64>(a), load<u64>(b), word, wordInverse))
    case WIDE: return montgomeryMultiply(out, a, b, WIDE_MODULUS, inverse)
    case MONTGOMERY:
      multiply(a, limbs, b, limbs)
      return reduceMontgomery(out, modulus, limbs, inverse)
    case TWOS: return multiplyLow(out, a, b, limbs)
    default:
      multiply(a, limbs, b, limbs)
      reduceByDivisor(out, 2 * limbs)
      return pad(out + 4 * limbs)
  }
}

/** out = out^(2^times). */
export function squareInRing(out: usize, times: u32): void {
  if (kind == WORD) return store<u64>(out, squareWord(load<u64>(out), times, word, wordInverse))
  for (; times > 0; times--) {
    switch (kind) {
      case WIDE:
        montgomerySquare(out, out, WIDE_MODULUS, inverse)
        break
      case MONTGOMERY:
        square(out, limbs)
        reduceMontgomery(out, modulus, limbs, inverse)
        break
      case TWOS:
        multiplyLow(out, out, out, limbs)
        break
      default:
        square(out, limbs)
        reduceByDivisor(out, 2 * limbs)
        pad(out + 4 * limbs)
    }
  }
}

function enterWord(out: usize, a: usize, count: i32): void {
  let rest: u64 = 0
  if (limbs == 1) {
    for (let i = count - 1; i >= 0; i--) rest = ((rest << LIMB_BITS) | load<u32>(a + 4 * i)) % word
  } else {
    setDivisor(modulus, limbs)
    fillColumns(0, a, count)
    reduceByDivisor(SHIFTED, count)
    pad(SHIFTED + 4 * limbs)
    rest = wordAt(SHIFTED)
  }
  // 2^128 modulo the word, by doubling 2^64.
  let square = (0 - word) % word
  for (let i = 0; i < 64; i++) {
    const over = square >= word - square
    square <<= 1
    if (over) square -= word
  }
  store<u64>(out, multiplyWord(rest, square, word, wordInverse))
}

/** COLUMNS = a * 2^(28 * skipped). */
function fillColumns(skipped: i32, a: usize, count: i32): void {
  memory.fill(COLUMNS, 0, 8 * skipped)
  const columns = COLUMNS + 8 * skipped
  for (let i: usize = 0, end: usize = 4 * count; i < end; i += 4) {
    store<u64>(columns + 2 * i, load<u32>(a + i))
  }
}

/** The value of three limbs, below 2^64. */
function wordAt(a: usize): u64 {
  const high = (load<u32>(a, 4) as u64) | ((load<u32>(a, 8) as u64) << LIMB_BITS)
  return (load<u32>(a) as u64) | (high << LIMB_BITS)
}

function storeWord(out: usize, value: u64): void {
  const mask = (1 << LIMB_BITS) - 1
  store<u32>(out, (value as u32) & mask)
  store<u32>(out, ((value >> LIMB_BITS) as u32) & mask, 4)
  store<u32>(out, (value >> (2 * LIMB_BITS)) as u32, 8)
  pad(out + 12)
}
