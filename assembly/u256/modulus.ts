import { DIVIDEND, QUOTIENT } from '../layout'
import { divideDigits } from './divide'
import { multiplyReduce } from './generated/barrett'
import { multiplyFull } from './multiply'
import { copyWord, equalWords, isLess, isPowerOfTwo, isZero, setWord, subtractWords } from './word'

/**
 * Cache of recent moduli of products, by their low bits. A contract uses one or two primes, and division by a
 * prepared modulus takes a quarter of the time. The cache changes no result.
 */
const ENTRIES: u32 = 16
const ENTRY_SIZE: usize = 128
/** The modulus, whether it is prepared, and the values that generated/barrett.ts takes. */
const IS_PREPARED: usize = 32
const PREPARED: usize = 40
const MODULI: usize = memory.data(16 * 128, 16)

const LIMB_BITS = 29
const LIMBS = 9
const RECIPROCAL_LIMBS = 10

/** Converts 32-bit digits to 29-bit limbs. */
function storeLimbs(out: usize, digits: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const bit = LIMB_BITS * i
    const value = load<u64>(digits + (usize(bit >> 5) << 2)) >> u64(bit & 31)
    store<u32>(out + (usize(i) << 2), u32(value) & 0x1fffffff)
  }
}

function prepare(entry: usize): void {
  copyWord(DIVIDEND, entry)
  store<u64>(DIVIDEND, 0, 32)
  storeLimbs(entry + PREPARED, DIVIDEND, LIMBS)
  // 2^522 has seventeen digits.
  memory.fill(DIVIDEND, 0, 72)
  store<u32>(DIVIDEND, 1 << 10, 64)
  divideDigits(17, entry)
  storeLimbs(entry + PREPARED + 4 * LIMBS, QUOTIENT, RECIPROCAL_LIMBS)
  store<u32>(entry, 1, IS_PREPARED)
}

/**
 * Returns the address of a modulus's prepared values. They are computed at its second use; the work pays off from the
 * third. Returns zero for any other modulus, and for one below 2^232 or a power of two: its reciprocal has too many
 * limbs.
 */
function preparedModulus(n: usize): usize {
  if (load<u32>(n, 28) >> 8 == 0) return 0
  const low = load<u32>(n)
  const entry = MODULI + usize((low ^ (low >> 8)) & (ENTRIES - 1)) * ENTRY_SIZE
  if (equalWords(entry, n)) {
    if (load<u32>(entry, IS_PREPARED) == 0) prepare(entry)
    return entry + PREPARED
  }
  if (isPowerOfTwo(n)) return 0
  copyWord(entry, n)
  store<u32>(entry, 0, IS_PREPARED)
  return 0
}

/** (a * b) mod n of the whole product; zero if n is zero. */
export function multiplyModulo(out: usize, a: usize, b: usize, n: usize): void {
  const prepared = preparedModulus(n)
  if (prepared != 0) {
    const modulus = prepared - PREPARED
    let above = multiplyReduce(out, a, b, prepared)
    while (above != 0 || !isLess(out, modulus)) {
      if (isLess(out, modulus)) above--
      subtractWords(out, out, modulus)
    }
    return
  }
  if (isZero(n)) return setWord(out, 0)
  multiplyFull(DIVIDEND, a, b)
  divideDigits(16, n)
  copyWord(out, DIVIDEND)
}
