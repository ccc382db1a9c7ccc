/**
 * Natural numbers of any length: 28-bit limbs in u32 words, little-endian. Products of two limbs leave eight bits of
 * a u64 column free, so that sums of products need no carries (see product.ts).
 *
 * A number is padded with as many zero limbs as its user reads: four past its length.
 */

export const LIMB_BITS: u32 = 28
export const LIMB_MASK: u32 = (1 << LIMB_BITS) - 1

/** Bytes of the longest number, and its limbs with room for padding and for a factor of 2^55. */
export const MAX_BYTES: u32 = 256 * 1024
export const MAX_LIMBS: u32 = (8 * MAX_BYTES) / LIMB_BITS + 9

/**
 * Reads the `count` big-endian bytes at `offset` of the input, with zeros past its `length`. Returns the number of
 * limbs without leading zeros.
 */
export function readNumber(out: usize, input: usize, length: u32, offset: u64, count: u32): i32 {
  const available: u32 = offset < length ? min(length - (offset as u32), count) : 0
  const end = input + (offset as u32)
  let limb = out
  let pool: u64 = 0
  // Bytes past the end of the input are zeros at the low end of the number.
  const missing = 8 * (count - available)
  const skipped = missing / LIMB_BITS
  memory.fill(out, 0, 4 * skipped)
  limb += 4 * skipped
  let pooled: u32 = missing % LIMB_BITS
  let i = available
  if (pooled == 0) {
    // Seven bytes are two limbs.
    for (; i >= 8; i -= 7) {
      const bytes = bswap<u64>(load<u64>(end + i - 8))
      store<u32>(limb, (bytes as u32) & LIMB_MASK)
      store<u32>(limb, ((bytes >> LIMB_BITS) as u32) & LIMB_MASK, 4)
      limb += 8
    }
  }
  for (; i > 0; i--) {
    pool |= (load<u8>(end + i - 1) as u64) << pooled
    pooled += 8
    if (pooled >= LIMB_BITS) {
      store<u32>(limb, (pool as u32) & LIMB_MASK)
      limb += 4
      pool >>= LIMB_BITS
      pooled -= LIMB_BITS
    }
  }
  store<u32>(limb, pool as u32)
  pad(limb + 4)
  return lengthOf(out, (((limb - out) >> 2) as i32) + 1)
}

/** Writes the number to `count` big-endian bytes. Limbs above them must be zero. */
export function writeNumber(out: usize, count: u32, a: usize, limbs: i32): void {
  const end = a + 4 * limbs
  let pool: u64 = 0
  let pooled: u32 = 0
  let i = count
  // The eighth byte is written again.
  for (; i >= 8 && a + 8 <= end; i -= 7) {
    const bytes = (load<u32>(a) as u64) | ((load<u32>(a, 4) as u64) << LIMB_BITS)
    store<u64>(out + i - 8, bswap<u64>(bytes))
    a += 8
  }
  for (; i > 0; i--) {
    if (pooled < 8) {
      if (a < end) {
        pool |= (load<u32>(a) as u64) << pooled
        a += 4
      }
      pooled += LIMB_BITS
    }
    store<u8>(out + i - 1, pool as u8)
    pool >>= 8
    pooled -= 8
  }
}

/** Writes a word as `count` big-endian bytes. Higher bytes must be zero. */
export function writeWord(out: usize, count: u32, word: u64): void {
  let i = count
  for (; i > 0 && word != 0; i--) {
    store<u8>(out + i - 1, word as u8)
    word >>= 8
  }
  memory.fill(out, 0, i)
}

/** Returns the value of up to three limbs, below 2^64. */
export function wordOf(a: usize, limbs: i32): u64 {
  let word: u64 = 0
  for (let i = limbs; i > 0; i--) word = (word << LIMB_BITS) | load<u32>(a + 4 * (i - 1))
  return word
}

/** Writes zeros after the last limb, which the loops over rows of four may read. */
@inline
export function pad(end: usize): void {
  store<u64>(end, 0)
  store<u64>(end, 0, 8)
}

/** Returns the number of limbs without leading zeros, at most `limbs`. */
export function lengthOf(a: usize, limbs: i32): i32 {
  while (limbs > 0 && load<u32>(a + 4 * (limbs - 1)) == 0) limbs--
  return limbs
}

/** Returns the bits of a number whose top limb is not zero. */
export function bitsOf(a: usize, limbs: i32): u32 {
  return LIMB_BITS * limbs + 4 - clz<u32>(load<u32>(a + 4 * (limbs - 1)))
}

/** Sets `limbs` limbs: those of `a`, then zeros. Uses loops, because most calls have short numbers. */
export function copyNumber(out: usize, a: usize, available: i32, limbs: i32): void {
  const shared: usize = 4 * min(available, limbs)
  let i: usize = 0
  for (; i < shared; i += 4) store<u32>(out + i, load<u32>(a + i))
  for (const end: usize = 4 * limbs; i < end; i += 4) store<u32>(out + i, 0)
  pad(out + i)
}

export function isLess(a: usize, b: usize, limbs: i32): bool {
  for (let i: usize = 4 * limbs; i > 0; i -= 4) {
    const x = load<u32>(a + i - 4)
    const y = load<u32>(b + i - 4)
    if (x != y) return x < y
  }
  return false
}

/** out = a - b modulo 2^(28 * limbs). */
export function subtract(out: usize, a: usize, b: usize, limbs: i32): void {
  let borrow: i32 = 0
  for (let i: usize = 0, end: usize = 4 * limbs; i < end; i += 4) {
    borrow += load<i32>(a + i) - load<i32>(b + i)
    store<u32>(out + i, borrow & LIMB_MASK)
    borrow >>= LIMB_BITS
  }
}

/** out = a * 2^bits. Returns the number of limbs, the top one of which may be zero. */
export function shiftLeft(out: usize, a: usize, limbs: i32, bits: u32): i32 {
  const skipped = bits / LIMB_BITS
  const rest = bits % LIMB_BITS
  memory.fill(out, 0, 4 * skipped)
  out += 4 * skipped
  let carry: u32 = 0
  for (let i: usize = 0, end: usize = 4 * limbs; i < end; i += 4) {
    const limb = load<u32>(a + i)
    store<u32>(out + i, ((limb << rest) | carry) & LIMB_MASK)
    carry = limb >> (LIMB_BITS - rest)
  }
  store<u32>(out + 4 * limbs, carry)
  pad(out + 4 * limbs + 4)
  return limbs + skipped + 1
}

/** out = a / 2^bits, rounded down, for bits below those of `a`. Returns the number of limbs without leading zeros. */
export function shiftRight(out: usize, a: usize, limbs: i32, bits: u32): i32 {
  const skipped = (bits / LIMB_BITS) as i32
  const rest = bits % LIMB_BITS
  const left = limbs - skipped
  a += 4 * skipped
  for (let i = 0; i < left; i++) {
    const high: u64 = i + 1 < left ? load<u32>(a + 4 * i + 4) : 0
    const pair = (load<u32>(a + 4 * i) as u64) | (high << LIMB_BITS)
    store<u32>(out + 4 * i, ((pair >> rest) as u32) & LIMB_MASK)
  }
  pad(out + 4 * left)
  return lengthOf(out, left)
}

/** Returns the trailing zero bits of a non-zero number. */
export function trailingZeros(a: usize): u32 {
  let bits: u32 = 0
  while (load<u32>(a) == 0) {
    bits += LIMB_BITS
    a += 4
  }
  return bits + ctz<u32>(load<u32>(a))
}

/** Reduces `a`, of ceil(bits / 28) limbs, modulo 2^bits. */
export function maskBits(a: usize, limbs: i32, bits: u32): void {
  const rest = bits % LIMB_BITS
  if (rest == 0) return
  const top = a + 4 * (limbs - 1)
  store<u32>(top, load<u32>(top) & (((1 as u32) << rest) - 1))
}

/** Returns 1 / limb modulo 2^28 of an odd limb. Each step doubles the number of correct bits, from three. */
export function inverseOfLimb(limb: u32): u32 {
  let inverse = limb
  for (let i = 0; i < 4; i++) inverse *= 2 - limb * inverse
  return inverse & LIMB_MASK
}
