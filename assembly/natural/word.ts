/** Powers modulo one u64, without limbs: the odd part in Montgomery form, the twos by wrapping. */
import {
  exponentBits,
  exponentBitsBelow,
  exponentDigit,
  exponentModulo,
  setExponent,
} from './exponent'

/** Bits of the exponent from which a table of powers pays off. */
const TABLE_MIN_BITS: u64 = 24
const TABLE_WIDTH: u32 = 4
const TABLE: usize = memory.data(8 << TABLE_WIDTH)

/** Below this modulus, finding the period of its powers is faster than using a long exponent. */
const PERIOD_MODULI: u64 = 1 << 16
const PERIOD_MIN_BITS: u64 = 64
/** From this exponent on, the powers of any number modulo less than 2^16 repeat. */
const PERIOD_START: u32 = 16
const REDUCED: usize = memory.data(4)

/** Returns base^exponent modulo a `word` above 1, for `count` big-endian bytes at `base` and an exponent above 0. */
export function powerModuloWord(base: usize, count: u32, word: u64): u64 {
  if (word < PERIOD_MODULI && exponentBits() > PERIOD_MIN_BITS) reduceExponent(word as u32)
  const twos = ctz<u64>(word)
  const modulus = word >> twos
  let low: u64 = 0
  if (twos != 0) {
    low = wrappedPower(readWord(base + count, min<u32>(count, 8)))
    if (modulus == 1) return low & (word - 1)
  }
  const inverse = inverseOfWord(modulus)
  const odd = oddPower(base, count, modulus, inverse)
  // The Chinese remainder
  return odd + modulus * (((low - odd) * inverse) & (((1 as u64) << twos) - 1))
}

/** Replaces an exponent of more than 64 bits by a small one with the same powers: they repeat by Euler's totient. */
function reduceExponent(word: u32): void {
  const period = totient(word)
  const first = (PERIOD_START + period - 1) / period
  store<u32>(REDUCED, bswap<u32>(exponentModulo(period) + first * period))
  setExponent(REDUCED, 4, 4)
}

function totient(word: u32): u32 {
  let result = word
  let rest = word
  for (let prime: u32 = 2; prime * prime <= rest; prime++) {
    if (rest % prime != 0) continue
    result -= result / prime
    while (rest % prime == 0) rest /= prime
  }
  return rest > 1 ? result - result / rest : result
}

/** base^exponent modulo 2^64. */
function wrappedPower(base: u64): u64 {
  let bits = exponentBits()
  if ((base & 1) == 0) {
    // 64 trailing zero bits make zero.
    if (bits > 6) return 0
  } else {
    // The periods of odd numbers divide 2^64.
    bits = exponentBitsBelow(min<u64>(bits, 64))
  }
  let power: u64 = 1
  for (; bits > 0; bits--) {
    power *= power
    if (exponentDigit(bits - 1, 1) != 0) power *= base
  }
  return power
}

/** Returns base^exponent modulo an odd number above 1; `inverse` is 1 / modulus modulo 2^64. */
function oddPower(base: usize, count: u32, modulus: u64, inverse: u64): u64 {
  // Montgomery's radix, 2^64, and the radix squared: 2^4 times it, squared four times.
  const one = (0 - modulus) % modulus
  let radix = one
  for (let i = 0; i < 4; i++) radix = addWords(radix, radix, modulus)
  for (let i = 0; i < 4; i++) radix = multiplyWords(radix, radix, modulus, inverse)

  let taken = ((count - 1) & 7) + 1
  let rest = readWord(base + taken, taken) % modulus
  for (; taken < count; taken += 8) {
    rest = multiplyWords(rest, radix, modulus, inverse)
    rest = addWords(rest, bswap<u64>(load<u64>(base + taken)) % modulus, modulus)
  }

  let bits = exponentBits()
  const width: u32 = bits < TABLE_MIN_BITS ? 1 : TABLE_WIDTH
  const element = multiplyWords(rest, radix, modulus, inverse)
  store<u64>(TABLE, one)
  for (let i: usize = 8; i < (8 as usize) << width; i += 8) {
    store<u64>(TABLE + i, multiplyWords(load<u64>(TABLE + i - 8), element, modulus, inverse))
  }
  const leading = (((bits - 1) % width) as u32) + 1
  bits -= leading
  let power = load<u64>(TABLE + 8 * exponentDigit(bits, leading))
  while (bits > 0) {
    bits -= width
    for (let i: u32 = 0; i < width; i++) power = multiplyWords(power, power, modulus, inverse)
    const digit = exponentDigit(bits, width)
    if (digit != 0) power = multiplyWords(power, load<u64>(TABLE + 8 * digit), modulus, inverse)
  }
  return multiplyWords(power, 1, modulus, inverse)
}

/** Reads the last `count` big-endian bytes before `end`, at most eight. */
function readWord(end: usize, count: u32): u64 {
  let word: u64 = 0
  for (let i = count; i > 0; i--) word = (word << 8) | load<u8>(end - i)
  return word
}

/** Returns 1 / word modulo 2^64 of an odd word. Each step doubles the number of correct bits, from three. */
export function inverseOfWord(word: u64): u64 {
  let inverse = word
  for (let i = 0; i < 5; i++) inverse *= 2 - word * inverse
  return inverse
}

/** Returns a + b modulo `modulus`; both are below it. */
@inline
function addWords(a: u64, b: u64, modulus: u64): u64 {
  const room = modulus - b
  return a < room ? a + b : a - room
}

/** Returns a * b / 2^64 modulo the odd `modulus`. Inputs and result are below it. */
@inline
function multiplyWords(a: u64, b: u64, modulus: u64, inverse: u64): u64 {
  if (modulus >> 32 == 0) {
    // The product has no upper half.
    const quotient = a * b * inverse
    const high = ((quotient >> 32) * modulus + (((quotient & 0xffffffff) * modulus) >> 32)) >> 32
    return high == 0 ? 0 : modulus - high
  }
  const high = multiplyHigh(a, b)
  const multiple = multiplyHigh(a * b * inverse, modulus)
  return high < multiple ? high - multiple + modulus : high - multiple
}

/** Returns the upper 64 bits of a * b. */
@inline
function multiplyHigh(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff
  const a1 = a >> 32
  const b0 = b & 0xffffffff
  const b1 = b >> 32
  const middle = a1 * b0 + ((a0 * b0) >> 32)
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & 0xffffffff)) >> 32)
}
