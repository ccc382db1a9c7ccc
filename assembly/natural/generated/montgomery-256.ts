// Written by tools/generate-natural.ts; do not edit.

/**
 * out = a * b / 2^261 modulo the odd `modulus`; `inverse` is -1 / modulus modulo 2^29. If the factors are
 * below twice the modulus, so is the result.
 */
export function montgomeryMultiply(out: usize, a: usize, b: usize, modulus: usize, inverse: u32): void {
  const a0: u64 = load<u32>(a, 0)
  const a1: u64 = load<u32>(a, 4)
  const a2: u64 = load<u32>(a, 8)
  const a3: u64 = load<u32>(a, 12)
  const a4: u64 = load<u32>(a, 16)
  const a5: u64 = load<u32>(a, 20)
  const a6: u64 = load<u32>(a, 24)
  const a7: u64 = load<u32>(a, 28)
  const a8: u64 = load<u32>(a, 32)
  const b0: u64 = load<u32>(b, 0)
  const b1: u64 = load<u32>(b, 4)
  const b2: u64 = load<u32>(b, 8)
  const b3: u64 = load<u32>(b, 12)
  const b4: u64 = load<u32>(b, 16)
  const b5: u64 = load<u32>(b, 20)
  const b6: u64 = load<u32>(b, 24)
  const b7: u64 = load<u32>(b, 28)
  const b8: u64 = load<u32>(b, 32)
  const modulus0: u64 = load<u32>(modulus, 0)
  const modulus1: u64 = load<u32>(modulus, 4)
  const modulus2: u64 = load<u32>(modulus, 8)
  const modulus3: u64 = load<u32>(modulus, 12)
  const modulus4: u64 = load<u32>(modulus, 16)
  const modulus5: u64 = load<u32>(modulus, 20)
  const modulus6: u64 = load<u32>(modulus, 24)
  const modulus7: u64 = load<u32>(modulus, 28)
  const modulus8: u64 = load<u32>(modulus, 32)
  let sum: u64 = 0
  sum += a0 * b0
  const q0: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q0 * modulus0) >> 29
  sum += a0 * b1 + a1 * b0
  sum += q0 * modulus1
  const q1: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q1 * modulus0) >> 29
  sum += a0 * b2 + a1 * b1 + a2 * b0
  sum += q0 * modulus2 + q1 * modulus1
  const q2: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q2 * modulus0) >> 29
  sum += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0
  sum += q0 * modulus3 + q1 * modulus2 + q2 * modulus1
  const q3: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q3 * modulus0) >> 29
  sum += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0
  sum += q0 * modulus4 + q1 * modulus3 + q2 * modulus2 + q3 * modulus1
  const q4: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q4 * modulus0) >> 29
  sum += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0
  sum += q0 * modulus5 + q1 * modulus4 + q2 * modulus3 + q3 * modulus2 + q4 * modulus1
  const q5: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q5 * modulus0) >> 29
  sum += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0
  sum += q0 * modulus6 + q1 * modulus5 + q2 * modulus4 + q3 * modulus3 + q4 * modulus2 + q5 * modulus1
  const q6: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q6 * modulus0) >> 29
  sum += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0
  sum += q0 * modulus7 + q1 * modulus6 + q2 * modulus5 + q3 * modulus4 + q4 * modulus3 + q5 * modulus2 + q6 * modulus1
  const q7: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q7 * modulus0) >> 29
  sum += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0
  sum += q0 * modulus8 + q1 * modulus7 + q2 * modulus6 + q3 * modulus5 + q4 * modulus4 + q5 * modulus3 + q6 * modulus2 + q7 * modulus1
  const q8: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q8 * modulus0) >> 29
  sum += a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1
  sum += q1 * modulus8 + q2 * modulus7 + q3 * modulus6 + q4 * modulus5 + q5 * modulus4 + q6 * modulus3 + q7 * modulus2 + q8 * modulus1
  store<u32>(out, (sum as u32) & 0x1fffffff, 0)
  sum >>= 29
  sum += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2
  sum += q2 * modulus8 + q3 * modulus7 + q4 * modulus6 + q5 * modulus5 + q6 * modulus4 + q7 * modulus3 + q8 * modulus2
  store<u32>(out, (sum as u32) & 0x1fffffff, 4)
  sum >>= 29
  sum += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3
  sum += q3 * modulus8 + q4 * modulus7 + q5 * modulus6 + q6 * modulus5 + q7 * modulus4 + q8 * modulus3
  store<u32>(out, (sum as u32) & 0x1fffffff, 8)
  sum >>= 29
  sum += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4
  sum += q4 * modulus8 + q5 * modulus7 + q6 * modulus6 + q7 * modulus5 + q8 * modulus4
  store<u32>(out, (sum as u32) & 0x1fffffff, 12)
  sum >>= 29
  sum += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5
  sum += q5 * modulus8 + q6 * modulus7 + q7 * modulus6 + q8 * modulus5
  store<u32>(out, (sum as u32) & 0x1fffffff, 16)
  sum >>= 29
  sum += a6 * b8 + a7 * b7 + a8 * b6
  sum += q6 * modulus8 + q7 * modulus7 + q8 * modulus6
  store<u32>(out, (sum as u32) & 0x1fffffff, 20)
  sum >>= 29
  sum += a7 * b8 + a8 * b7
  sum += q7 * modulus8 + q8 * modulus7
  store<u32>(out, (sum as u32) & 0x1fffffff, 24)
  sum >>= 29
  sum += a8 * b8
  sum += q8 * modulus8
  store<u32>(out, (sum as u32) & 0x1fffffff, 28)
  sum >>= 29
  store<u32>(out, sum as u32, 32)
}

/** out = a * a / 2^261, as above. */
export function montgomerySquare(out: usize, a: usize, modulus: usize, inverse: u32): void {
  const a0: u64 = load<u32>(a, 0)
  const a1: u64 = load<u32>(a, 4)
  const a2: u64 = load<u32>(a, 8)
  const a3: u64 = load<u32>(a, 12)
  const a4: u64 = load<u32>(a, 16)
  const a5: u64 = load<u32>(a, 20)
  const a6: u64 = load<u32>(a, 24)
  const a7: u64 = load<u32>(a, 28)
  const a8: u64 = load<u32>(a, 32)
  const modulus0: u64 = load<u32>(modulus, 0)
  const modulus1: u64 = load<u32>(modulus, 4)
  const modulus2: u64 = load<u32>(modulus, 8)
  const modulus3: u64 = load<u32>(modulus, 12)
  const modulus4: u64 = load<u32>(modulus, 16)
  const modulus5: u64 = load<u32>(modulus, 20)
  const modulus6: u64 = load<u32>(modulus, 24)
  const modulus7: u64 = load<u32>(modulus, 28)
  const modulus8: u64 = load<u32>(modulus, 32)
  const twice0 = a0 << 1
  const twice1 = a1 << 1
  const twice2 = a2 << 1
  const twice3 = a3 << 1
  const twice4 = a4 << 1
  const twice5 = a5 << 1
  const twice6 = a6 << 1
  const twice7 = a7 << 1
  let sum: u64 = 0
  sum += a0 * a0
  const q0: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q0 * modulus0) >> 29
  sum += twice0 * a1
  sum += q0 * modulus1
  const q1: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q1 * modulus0) >> 29
  sum += twice0 * a2 + a1 * a1
  sum += q0 * modulus2 + q1 * modulus1
  const q2: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q2 * modulus0) >> 29
  sum += twice0 * a3 + twice1 * a2
  sum += q0 * modulus3 + q1 * modulus2 + q2 * modulus1
  const q3: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q3 * modulus0) >> 29
  sum += twice0 * a4 + twice1 * a3 + a2 * a2
  sum += q0 * modulus4 + q1 * modulus3 + q2 * modulus2 + q3 * modulus1
  const q4: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q4 * modulus0) >> 29
  sum += twice0 * a5 + twice1 * a4 + twice2 * a3
  sum += q0 * modulus5 + q1 * modulus4 + q2 * modulus3 + q3 * modulus2 + q4 * modulus1
  const q5: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q5 * modulus0) >> 29
  sum += twice0 * a6 + twice1 * a5 + twice2 * a4 + a3 * a3
  sum += q0 * modulus6 + q1 * modulus5 + q2 * modulus4 + q3 * modulus3 + q4 * modulus2 + q5 * modulus1
  const q6: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q6 * modulus0) >> 29
  sum += twice0 * a7 + twice1 * a6 + twice2 * a5 + twice3 * a4
  sum += q0 * modulus7 + q1 * modulus6 + q2 * modulus5 + q3 * modulus4 + q4 * modulus3 + q5 * modulus2 + q6 * modulus1
  const q7: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q7 * modulus0) >> 29
  sum += twice0 * a8 + twice1 * a7 + twice2 * a6 + twice3 * a5 + a4 * a4
  sum += q0 * modulus8 + q1 * modulus7 + q2 * modulus6 + q3 * modulus5 + q4 * modulus4 + q5 * modulus3 + q6 * modulus2 + q7 * modulus1
  const q8: u64 = ((sum as u32) * inverse) & 0x1fffffff
  sum = (sum + q8 * modulus0) >> 29
  sum += twice1 * a8 + twice2 * a7 + twice3 * a6 + twice4 * a5
  sum += q1 * modulus8 + q2 * modulus7 + q3 * modulus6 + q4 * modulus5 + q5 * modulus4 + q6 * modulus3 + q7 * modulus2 + q8 * modulus1
  store<u32>(out, (sum as u32) & 0x1fffffff, 0)
  sum >>= 29
  sum += twice2 * a8 + twice3 * a7 + twice4 * a6 + a5 * a5
  sum += q2 * modulus8 + q3 * modulus7 + q4 * modulus6 + q5 * modulus5 + q6 * modulus4 + q7 * modulus3 + q8 * modulus2
  store<u32>(out, (sum as u32) & 0x1fffffff, 4)
  sum >>= 29
  sum += twice3 * a8 + twice4 * a7 + twice5 * a6
  sum += q3 * modulus8 + q4 * modulus7 + q5 * modulus6 + q6 * modulus5 + q7 * modulus4 + q8 * modulus3
  store<u32>(out, (sum as u32) & 0x1fffffff, 8)
  sum >>= 29
  sum += twice4 * a8 + twice5 * a7 + a6 * a6
  sum += q4 * modulus8 + q5 * modulus7 + q6 * modulus6 + q7 * modulus5 + q8 * modulus4
  store<u32>(out, (sum as u32) & 0x1fffffff, 12)
  sum >>= 29
  sum += twice5 * a8 + twice6 * a7
  sum += q5 * modulus8 + q6 * modulus7 + q7 * modulus6 + q8 * modulus5
  store<u32>(out, (sum as u32) & 0x1fffffff, 16)
  sum >>= 29
  sum += twice6 * a8 + a7 * a7
  sum += q6 * modulus8 + q7 * modulus7 + q8 * modulus6
  store<u32>(out, (sum as u32) & 0x1fffffff, 20)
  sum >>= 29
  sum += twice7 * a8
  sum += q7 * modulus8 + q8 * modulus7
  store<u32>(out, (sum as u32) & 0x1fffffff, 24)
  sum >>= 29
  sum += a8 * a8
  sum += q8 * modulus8
  store<u32>(out, (sum as u32) & 0x1fffffff, 28)
  sum >>= 29
  store<u32>(out, sum as u32, 32)
}
