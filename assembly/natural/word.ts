/** Montgomery products modulo one odd u64: no input or result ever reaches the modulus. */

/** 1 / word modulo 2^64 of an odd word: each step doubles the right bits, from three. */
export function inverseOfWord(word: u64): u64 {
  let inverse = word
  for (let i = 0; i < 5; i++) inverse *= 2 - word * inverse
  return inverse
}

/** a * b / 2^64 modulo `modulus`; `inverse` is 1 / modulus modulo 2^64. */
@inline
export function multiplyWord(a: u64, b: u64, modulus: u64, inverse: u64): u64 {
  const high = multiplyHigh(a, b)
  const multiple = multiplyHigh(a * b * inverse, modulus)
  return high < multiple ? high - multiple + modulus : high - multiple
}

/** a^(2^times) in the same form. */
export function squareWord(a: u64, times: u32, modulus: u64, inverse: u64): u64 {
  for (; times > 0; times--) a = multiplyWord(a, a, modulus, inverse)
  return a
}

/** The upper 64 bits of a * b. */
@inline
function multiplyHigh(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff
  const a1 = a >> 32
  const b0 = b & 0xffffffff
  const b1 = b >> 32
  const middle = a1 * b0 + ((a0 * b0) >> 32)
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & 0xffffffff)) >> 32)
}
