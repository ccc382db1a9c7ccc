/** Scalars as four u64 words, little-endian, and their digits to the base |z|. */
import { ORDER } from '../generated/bls12-381-constants'
import { PARAMETER } from './group'

/** Bytes of a scalar in a message and in memory. */
export const SCALAR: i32 = 32
const WORDS: i32 = 4

/** Reads 32 big-endian bytes. */
export function readScalar(out: usize, bytes: usize): void {
  for (let i = 0; i < WORDS; i++) {
    store<u64>(out + 8 * i, bswap<u64>(load<u64>(bytes + 8 * (WORDS - 1 - i))))
  }
}

export function isBelowOrder(a: usize): bool {
  for (let i = WORDS - 1; i >= 0; i--) {
    const x = load<u64>(a + 8 * i)
    const y = load<u64>(ORDER + 8 * i)
    if (x != y) return x < y
  }
  return false
}

export function isZeroScalar(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

/** out = a - b. The borrow out of the top word is dropped. */
function subtractWords(out: usize, a: usize, b: usize): void {
  let borrow: u64 = 0
  for (let i = 0; i < 8 * WORDS; i += 8) {
    const x = load<u64>(a + i)
    const y = load<u64>(b + i)
    store<u64>(out + i, x - y - borrow)
    borrow = x < y || (x == y && borrow != 0) ? 1 : 0
  }
}

/** Reduces any 256-bit number below the order with at most two subtractions. */
export function reduceScalar(a: usize): void {
  while (!isBelowOrder(a)) subtractWords(a, a, ORDER)
}

/** out = -a modulo the order, for a below it. */
export function negateScalar(out: usize, a: usize): void {
  if (isZeroScalar(a)) memory.fill(out, 0, SCALAR)
  else subtractWords(out, ORDER, a)
}

/** Divides `count` words by |z| in place, bit by bit, and returns the remainder. */
function divide(a: usize, count: i32): u64 {
  let rest: u64 = 0
  for (let i = count - 1; i >= 0; i--) {
    let word = load<u64>(a + 8 * i)
    for (let bit = 0; bit < 64; bit++) {
      const overflow = rest >> 63
      rest = (rest << 1) | (word >> 63)
      word <<= 1
      if (overflow != 0 || rest >= PARAMETER) {
        rest -= PARAMETER
        word |= 1
      }
    }
    store<u64>(a + 8 * i, word)
  }
  return rest
}

/** Replaces a by its digits: a = d0 + d1 |z| + d2 |z|^2 + d3 |z|^3, as the order is below |z|^4. */
export function splitByParameter(a: usize): void {
  const d0 = divide(a, 4)
  const d1 = divide(a, 3)
  const d2 = divide(a, 2)
  store<u64>(a, load<u64>(a), 24)
  store<u64>(a, d0)
  store<u64>(a, d1, 8)
  store<u64>(a, d2, 16)
}

/** Replaces a by two halves of 128 bits: a = e0 + e1 z^2. */
export function splitByParameterSquared(a: usize): void {
  splitByParameter(a)
  multiplyAdd(a)
  multiplyAdd(a + 16)
}

/** (low, high) becomes low + high * |z|. */
function multiplyAdd(a: usize): void {
  const low = load<u64>(a)
  const high = load<u64>(a, 8)
  const h0 = high & 0xffffffff
  const h1 = high >> 32
  const z0 = PARAMETER & 0xffffffff
  const z1 = PARAMETER >> 32
  const lowest = h0 * z0
  const middle = h1 * z0 + (lowest >> 32)
  const other = h0 * z1 + (middle & 0xffffffff)
  const product = (other << 32) | (lowest & 0xffffffff)
  const total = product + low
  store<u64>(a, total)
  store<u64>(a, h1 * z1 + (middle >> 32) + (other >> 32) + u64(total < product), 8)
}
