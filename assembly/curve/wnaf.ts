/** Signed sliding windows: a scalar as odd digits with at least `width - 1` zeros between them. */

/** Bytes of a recoded scalar: one i8 a bit, and room for the carry out of bit 255. */
export const WNAF: i32 = 264

/**
 * Writes the digits of the number of `bits` bits in `words` (u32, little-endian, zeros above it up to the next word)
 * to `out`, each times `sign`. Returns the index of the highest non-zero digit, or -1. Digits are odd and below
 * 2^(width - 1) in size; `width` is at most 8.
 */
export function recode(out: usize, words: usize, bits: i32, width: i32, sign: i32): i32 {
  memory.fill(out, 0, WNAF)
  let highest = -1
  let carry: i32 = 0
  let position = 0
  while (position <= bits) {
    const window = bitsAt(words, position)
    if ((window & 1) == carry) {
      position++
      continue
    }
    let digit = (window & ((1 << width) - 1)) + carry
    carry = digit >> (width - 1)
    digit -= carry << width
    store<i8>(out + position, (digit * sign) as i8)
    highest = position
    position += width
  }
  return highest
}

@inline
function bitsAt(words: usize, position: i32): i32 {
  const word = words + 4 * (position >> 5)
  return ((load<u32>(word) | ((load<u32>(word, 4) as u64) << 32)) >> (position & 31)) as i32
}
