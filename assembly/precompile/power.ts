/**
 * Powers modulo a number of any length, in 32-bit words, little-endian.
 *
 * A modulus is an odd number times 2^k. The power is taken modulo the odd part by Montgomery
 * multiplication and modulo 2^k by products cut off at k bits; the Chinese remainder joins them.
 */

/** Bytes of the longest base or modulus. */
export const MAX_OPERAND: u32 = 256 * 1024

/** Bytes up to which all powers of a four-bit window fit TABLE. */
const MAX_WINDOWED: u32 = 16 * 1024

const MODULUS: usize = memory.data(MAX_OPERAND)
const BASE: usize = memory.data(MAX_OPERAND)
/** The modulus without its factors of two, and shifted so that its top bit is set. */
const ODD: usize = memory.data(MAX_OPERAND)
const DIVISOR: usize = memory.data(MAX_OPERAND)
const DIVIDEND: usize = memory.data(2 * MAX_OPERAND + 8)
/** The powers 1 to 2^window - 1 of the base, one after the other. */
const TABLE: usize = memory.data(MAX_OPERAND)
const PRODUCT: usize = memory.data(MAX_OPERAND + 8)
const ODD_RESULT: usize = memory.data(MAX_OPERAND)
const LOW_RESULT: usize = memory.data(MAX_OPERAND)
const ODD_INVERSE: usize = memory.data(MAX_OPERAND)
const ONE: usize = memory.data(MAX_OPERAND)

// The ring of `multiply`: modulo ODD in Montgomery form, or modulo 2^(32 * ringWords).
let ringWords: i32 = 0
let ringIsOdd: bool = false
let negativeInverse: u32 = 0

// The exponent: big-endian bytes, those past the end of the input are zeros.
let exponentBytes: usize = 0
let exponentAvailable: u32 = 0

/**
 * Writes base^exponent modulo modulus to `out` as `modulusLength` big-endian bytes; all zeros for the
 * modulus 0 and 1. The three numbers follow each other in the input from `offset`; bytes past
 * its `length` are zeros. Base and modulus are at most MAX_OPERAND bytes long.
 */
export function power(
  input: usize, length: u32, offset: u32,
  baseLength: u32, exponentLength: u32, modulusLength: u32, out: usize,
): void {
  const baseWords = readNumber(BASE, input, length, offset, baseLength)
  offset += baseLength
  exponentBytes = input + offset
  exponentAvailable = offset < length ? min(length - offset, exponentLength) : 0
  const words = readNumber(MODULUS, input, length, offset as u64 + exponentLength, modulusLength)

  memory.fill(out, 0, modulusLength)
  if (words == 0 || (words == 1 && load<u32>(MODULUS) == 1)) return
  const bits = exponentBits(exponentLength)
  if (bits == 0) {
    store<u8>(out + modulusLength - 1, 1)
    return
  }

  const twos = trailingZeros(MODULUS)
  const oddWords = shiftRight(ODD, MODULUS, words, twos)
  const hasOdd = oddWords > 1 || load<u32>(ODD) != 1
  const lowWords = (twos + 31) >>> 5
  if (hasOdd) powerModuloOdd(baseWords, oddWords, exponentLength, bits)
  if (twos > 0) powerModuloTwos(baseWords, lowWords, exponentLength, bits)

  if (!hasOdd) {
    maskBits(LOW_RESULT, lowWords, twos)
    writeNumber(out, modulusLength, LOW_RESULT, lowWords)
  } else if (twos == 0) {
    writeNumber(out, modulusLength, ODD_RESULT, oddWords)
  } else {
    join(oddWords, lowWords, twos, words)
    writeNumber(out, modulusLength, MODULUS, words)
  }
}

function powerModuloOdd(baseWords: i32, words: i32, exponentLength: u32, bits: u64): void {
  ringWords = words
  ringIsOdd = true
  negativeInverse = 0 - inverseOfWord(load<u32>(ODD))
  // The Montgomery form of the base, base * 2^(32 * words) modulo ODD, by division.
  memory.fill(DIVIDEND, 0, 4 * words)
  memory.copy(DIVIDEND + 4 * words, BASE, 4 * baseWords)
  reduce(baseWords + words, words)
  memory.copy(TABLE, DIVIDEND, 4 * words)
  raise(ODD_RESULT, exponentLength, bits)
  memory.fill(ONE, 0, 4 * words)
  store<u32>(ONE, 1)
  multiply(ODD_RESULT, ODD_RESULT, ONE)
}

function powerModuloTwos(baseWords: i32, words: i32, exponentLength: u32, bits: u64): void {
  ringWords = words
  ringIsOdd = false
  const shared = min(baseWords, words)
  memory.copy(TABLE, BASE, 4 * shared)
  memory.fill(TABLE + 4 * shared, 0, 4 * (words - shared))
  raise(LOW_RESULT, exponentLength, bits)
}

/** MODULUS = ODD_RESULT + ODD * ((LOW_RESULT - ODD_RESULT) / ODD modulo 2^twos). */
function join(oddWords: i32, lowWords: i32, twos: u32, words: i32): void {
  invertOdd(oddWords, lowWords)
  let borrow: i64 = 0
  for (let i = 0; i < lowWords; i++) {
    borrow += load<u32>(LOW_RESULT + 4 * i)
    if (i < oddWords) borrow -= load<u32>(ODD_RESULT + 4 * i)
    store<u32>(LOW_RESULT + 4 * i, borrow as u32)
    borrow >>= 32
  }
  ringWords = lowWords
  ringIsOdd = false
  multiply(LOW_RESULT, LOW_RESULT, ODD_INVERSE)
  maskBits(LOW_RESULT, lowWords, twos)

  // The sum is below the modulus, so words past its length stay zero.
  memory.fill(MODULUS, 0, 4 * words)
  memory.copy(MODULUS, ODD_RESULT, 4 * oddWords)
  for (let i = 0; i < lowWords; i++) {
    const factor: u64 = load<u32>(LOW_RESULT + 4 * i)
    let carry: u64 = 0
    for (let j = 0; i + j < words; j++) {
      if (j < oddWords) carry += factor * (load<u32>(ODD + 4 * j) as u64)
      else if (carry == 0) break
      carry += load<u32>(MODULUS + 4 * (i + j))
      store<u32>(MODULUS + 4 * (i + j), carry as u32)
      carry >>= 32
    }
  }
}

/** ODD_INVERSE = 1 / ODD modulo 2^(32 * words): Newton's step x * (2 - ODD * x) doubles the words. */
function invertOdd(oddWords: i32, words: i32): void {
  ringIsOdd = false
  memory.fill(ODD_INVERSE, 0, 4 * words)
  store<u32>(ODD_INVERSE, inverseOfWord(load<u32>(ODD)))
  for (let known = 1; known < words; known *= 2) {
    ringWords = min(2 * known, words)
    const shared = min(oddWords, ringWords)
    memory.copy(ONE, ODD, 4 * shared)
    memory.fill(ONE + 4 * shared, 0, 4 * (ringWords - shared))
    multiply(ONE, ONE, ODD_INVERSE)
    let borrow: i64 = 2
    for (let i = 0; i < ringWords; i++) {
      borrow -= load<u32>(ONE + 4 * i)
      store<u32>(ONE + 4 * i, borrow as u32)
      borrow >>= 32
    }
    multiply(ODD_INVERSE, ODD_INVERSE, ONE)
  }
}

/** 1 / word modulo 2^32 of an odd word: each step doubles the right bits, from three. */
function inverseOfWord(word: u32): u32 {
  let inverse = word
  for (let i = 0; i < 4; i++) inverse *= 2 - word * inverse
  return inverse
}

// Exponentiation

/** out = (first entry of TABLE)^exponent, window by window from the top bit. */
function raise(out: usize, exponentLength: u32, bits: u64): void {
  const stride: usize = 4 * ringWords
  const width: u32 = bits > 64 && stride <= MAX_WINDOWED ? 4 : 1
  for (let i: usize = 2; i < (1 << width); i++) {
    multiply(TABLE + stride * (i - 1), TABLE + stride * (i - 2), TABLE)
  }
  let position = 8 * (exponentLength as u64) - bits
  let first = (bits % width) as u32
  if (first == 0) first = width
  memory.copy(out, TABLE + stride * (takeBits(position, first) - 1), stride)
  position += first
  for (let left = bits - first; left > 0; left -= width) {
    for (let i: u32 = 0; i < width; i++) multiply(out, out, out)
    const digit = takeBits(position, width)
    if (digit != 0) multiply(out, out, TABLE + stride * (digit - 1))
    position += width
  }
}

/** Bits of the exponent below and with its leading one; 0 for zero. */
function exponentBits(exponentLength: u32): u64 {
  for (let i: u32 = 0; i < exponentAvailable; i++) {
    const byte = load<u8>(exponentBytes + i)
    if (byte != 0) return 8 * ((exponentLength - i) as u64) - clz<u32>(byte) + 24
  }
  return 0
}

/** `count` bits of the exponent from `position`, counted from its first byte. */
function takeBits(position: u64, count: u32): u32 {
  let bits: u32 = 0
  for (let end = position + count; position < end; position++) {
    const index = (position >> 3) as u32
    const byte: u32 = index < exponentAvailable ? load<u8>(exponentBytes + index) : 0
    bits = (bits << 1) | ((byte >> (7 - ((position as u32) & 7))) & 1)
  }
  return bits
}

// Arithmetic

/**
 * out = a * b in the current ring; the operands may be the same as `out`. Clears and copies in loops:
 * for the short numbers most calls have, memory.fill and memory.copy cost more than the product.
 */
function multiply(out: usize, a: usize, b: usize): void {
  const size: usize = 4 * ringWords
  for (let i: usize = 0; i <= size; i += 4) store<u32>(PRODUCT + i, 0)
  if (ringIsOdd) multiplyMontgomery(a, b)
  else multiplyLow(a, b)
  for (let i: usize = 0; i < size; i += 4) store<u32>(out + i, load<u32>(PRODUCT + i))
}

/** PRODUCT = a * b / 2^(32 * words) modulo ODD, one word of `a` and one word of the quotient a turn. */
function multiplyMontgomery(a: usize, b: usize): void {
  const size: usize = 4 * ringWords
  for (let i: usize = 0; i < size; i += 4) {
    const word: u64 = load<u32>(a + i)
    let sum: u64 = load<u32>(PRODUCT) + word * (load<u32>(b) as u64)
    const quotient: u64 = (sum as u32) * negativeInverse
    let carry = sum >> 32
    let reduced: u64 = ((sum as u32) as u64) + quotient * (load<u32>(ODD) as u64)
    let reducedCarry = reduced >> 32
    for (let j: usize = 4; j < size; j += 4) {
      sum = (load<u32>(PRODUCT + j) as u64) + word * (load<u32>(b + j) as u64) + carry
      carry = sum >> 32
      reduced = ((sum as u32) as u64) + quotient * (load<u32>(ODD + j) as u64) + reducedCarry
      reducedCarry = reduced >> 32
      store<u32>(PRODUCT + j - 4, reduced as u32)
    }
    sum = (load<u32>(PRODUCT + size) as u64) + carry + reducedCarry
    store<u32>(PRODUCT + size - 4, sum as u32)
    store<u32>(PRODUCT + size, (sum >> 32) as u32)
  }
  if (load<u32>(PRODUCT + size) == 0 && isLess(PRODUCT, ODD, ringWords)) return
  let borrow: i64 = 0
  for (let i: usize = 0; i < size; i += 4) {
    borrow += (load<u32>(PRODUCT + i) as i64) - (load<u32>(ODD + i) as i64)
    store<u32>(PRODUCT + i, borrow as u32)
    borrow >>= 32
  }
}

/** PRODUCT = the low words of a * b. */
function multiplyLow(a: usize, b: usize): void {
  const size: usize = 4 * ringWords
  for (let i: usize = 0; i < size; i += 4) {
    const word: u64 = load<u32>(a + i)
    if (word == 0) continue
    let carry: u64 = 0
    for (let j: usize = 0; i + j < size; j += 4) {
      carry += word * (load<u32>(b + j) as u64) + (load<u32>(PRODUCT + i + j) as u64)
      store<u32>(PRODUCT + i + j, carry as u32)
      carry >>= 32
    }
  }
}

/** DIVIDEND of `count` words modulo ODD of `words` words, in place (Knuth, 4.3.1, algorithm D). */
function reduce(count: i32, words: i32): void {
  const shift = clz<u32>(load<u32>(ODD + 4 * (words - 1)))
  shiftLeft(DIVISOR, ODD, words, shift)
  store<u32>(DIVIDEND + 4 * count, shiftLeft(DIVIDEND, DIVIDEND, count, shift))

  const top: u64 = load<u32>(DIVISOR + 4 * (words - 1))
  const second: u64 = words > 1 ? load<u32>(DIVISOR + 4 * (words - 2)) : 0
  for (let j = count - words; j >= 0; j--) {
    const part = DIVIDEND + 4 * j
    const end = part + 4 * words
    const high: u64 = ((load<u32>(end) as u64) << 32) | load<u32>(end - 4)
    let quotient = high / top
    let rest = high % top
    const third: u64 = words > 1 ? load<u32>(end - 8) : 0
    while (quotient >> 32 != 0 || quotient * second > ((rest << 32) | third)) {
      quotient--
      rest += top
      if (rest >> 32 != 0) break
    }
    if (quotient == 0) continue

    let carry: u64 = 0
    let borrow: i64 = 0
    for (let i = 0; i < words; i++) {
      carry += quotient * (load<u32>(DIVISOR + 4 * i) as u64)
      borrow += (load<u32>(part + 4 * i) as i64) - ((carry as u32) as i64)
      store<u32>(part + 4 * i, borrow as u32)
      carry >>= 32
      borrow >>= 32
    }
    borrow += (load<u32>(end) as i64) - (carry as i64)
    store<u32>(end, borrow as u32)
    if (borrow < 0) addBack(part, words)
  }
  // The remainder lies in the low words, still shifted.
  if (shift > 0) {
    for (let i = 0; i < words; i++) {
      const pair = load<u64>(DIVIDEND + 4 * i)
      store<u32>(DIVIDEND + 4 * i, (pair >> shift) as u32)
    }
  }
}

function addBack(part: usize, words: i32): void {
  let carry: u64 = 0
  for (let i = 0; i < words; i++) {
    carry += (load<u32>(part + 4 * i) as u64) + (load<u32>(DIVISOR + 4 * i) as u64)
    store<u32>(part + 4 * i, carry as u32)
    carry >>= 32
  }
  store<u32>(part + 4 * words, load<u32>(part + 4 * words) + (carry as u32))
}

function isLess(a: usize, b: usize, words: i32): bool {
  for (let i = words - 1; i >= 0; i--) {
    const x = load<u32>(a + 4 * i)
    const y = load<u32>(b + 4 * i)
    if (x != y) return x < y
  }
  return false
}

/** Shifts by less than a word and returns the bits that fall out at the top. */
function shiftLeft(out: usize, a: usize, words: i32, bits: u32): u32 {
  let carry: u64 = 0
  for (let i = 0; i < words; i++) {
    carry |= (load<u32>(a + 4 * i) as u64) << bits
    store<u32>(out + 4 * i, carry as u32)
    carry >>= 32
  }
  return carry as u32
}

/** Shifts by any number of bits below the length and returns the words that are left. */
function shiftRight(out: usize, a: usize, words: i32, bits: u32): i32 {
  const skipped: i32 = bits >> 5
  const left = words - skipped
  for (let i = 0; i < left; i++) {
    const low: u64 = load<u32>(a + 4 * (skipped + i))
    const high: u64 = i + 1 < left ? load<u32>(a + 4 * (skipped + i + 1)) : 0
    store<u32>(out + 4 * i, ((low | (high << 32)) >> (bits & 31)) as u32)
  }
  return load<u32>(out + 4 * (left - 1)) == 0 ? left - 1 : left
}

/** Trailing zero bits of a number that is not zero. */
function trailingZeros(a: usize): u32 {
  let bits: u32 = 0
  while (load<u32>(a) == 0) {
    bits += 32
    a += 4
  }
  return bits + ctz<u32>(load<u32>(a))
}

/** Clears the bits from `bits` up in the top word of `words` = ceil(bits / 32). */
function maskBits(a: usize, words: i32, bits: u32): void {
  if ((bits & 31) == 0) return
  const top = a + 4 * (words - 1)
  store<u32>(top, load<u32>(top) & (((1 as u32) << (bits & 31)) - 1))
}

/** Reads big-endian bytes of the input, zeros past its end, and returns the words without leading zeros. */
function readNumber(out: usize, input: usize, length: u32, offset: u64, count: u32): i32 {
  const words: i32 = (count + 3) >>> 2
  memory.fill(out, 0, 4 * words)
  const available: u32 = offset < length ? min(length - (offset as u32), count) : 0
  for (let i: u32 = 0; i < available; i++) {
    store<u8>(out + count - 1 - i, load<u8>(input + (offset as u32) + i))
  }
  let used = words
  while (used > 0 && load<u32>(out + 4 * (used - 1)) == 0) used--
  return used
}

/** Writes the number to the end of `count` big-endian bytes that are zero so far. */
function writeNumber(out: usize, count: u32, a: usize, words: i32): void {
  const length = min<u32>(count, 4 * words)
  for (let i: u32 = 0; i < length; i++) store<u8>(out + count - 1 - i, load<u8>(a + i))
}
