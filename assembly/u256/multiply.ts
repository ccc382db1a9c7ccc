import { setWord } from './word'

/**
 * High half of a 64 x 64 bit product, by 32-bit halves: WebAssembly has no wide multiply (no released V8 supports the
 * wide-arithmetic proposal).
 */
@inline
export function multiplyHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff
  const aHigh = a >> 32
  const bLow = b & 0xffffffff
  const bHigh = b >> 32
  const low = aLow * bLow
  const middle = aHigh * bLow + (low >> 32)
  const cross = aLow * bHigh + (middle & 0xffffffff)
  return aHigh * bHigh + (middle >> 32) + (cross >> 32)
}

/** a * b modulo 2^256. */
export function multiply(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  if ((a1 | a2 | a3 | b1 | b2 | b3) == 0) {
    setWord(out, a0 * b0)
    store<u64>(out, multiplyHigh(a0, b0), 8)
    return
  }
  // Row of a0
  const r0 = a0 * b0
  let carry = multiplyHigh(a0, b0)
  let low = a0 * b1
  let r1 = low + carry
  carry = multiplyHigh(a0, b1) + u64(r1 < low)
  low = a0 * b2
  let r2 = low + carry
  carry = multiplyHigh(a0, b2) + u64(r2 < low)
  let r3 = a0 * b3 + carry
  // Row of a1
  if (a1 != 0) {
    low = a1 * b0
    r1 += low
    carry = multiplyHigh(a1, b0) + u64(r1 < low)
    low = a1 * b1
    const sum = low + carry
    carry = multiplyHigh(a1, b1) + u64(sum < low)
    r2 += sum
    carry += u64(r2 < sum)
    r3 += a1 * b2 + carry
  }
  // Rows of a2 and a3
  if (a2 != 0) {
    low = a2 * b0
    r2 += low
    r3 += a2 * b1 + multiplyHigh(a2, b0) + u64(r2 < low)
  }
  r3 += a3 * b0
  store<u64>(out, r0)
  store<u64>(out, r1, 8)
  store<u64>(out, r2, 16)
  store<u64>(out, r3, 24)
}

/** The whole product, 512 bits in eight limbs. `out` must not overlap an operand. */
export function multiplyFull(out: usize, a: usize, b: usize): void {
  setWord(out, 0)
  setWord(out + 32, 0)
  for (let i: usize = 0; i < 32; i += 8) {
    const limb = load<u64>(a + i)
    let carry: u64 = 0
    for (let j: usize = 0; j < 32; j += 8) {
      const other = load<u64>(b + j)
      const low = limb * other
      let high = multiplyHigh(limb, other)
      const sum = low + carry
      high += u64(sum < low)
      const total = load<u64>(out + i + j) + sum
      carry = high + u64(total < sum)
      store<u64>(out + i + j, total)
    }
    store<u64>(out + i, carry, 32)
  }
}
