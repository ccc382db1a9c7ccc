// Written by tools/generate-natural.ts; do not edit.

/**
 * out = a * b / 2^145 modulo the odd `modulus`; `inverse` is -1 / modulus modulo 2^29. If the factors are
 * below twice the modulus, so is the result.
 */
export function montgomeryMultiply(out: usize, a: usize, b: usize, modulus: usize, inverse: u32): void {
  const a0: u64 = load<u32>(a, 0)
  const a1: u64 = load<u32>(a, 4)
  const a2: u64 = load<u32>(a, 8)
  const a3: u64 = load<u32>(a, 12)
  const a4: u64 = load<u32>(a, 16)
  const b0: u64 = load<u32>(b, 0)
  const b1: u64 = load<u32>(b, 4)
  const b2: u64 = load<u32>(b, 8)
  const b3: u64 = load<u32>(b, 12)
  const b4: u64 = load<u32>(b, 16)
  const modulus0: u64 = load<u32>(modulus, 0)
  const modulus1: u64 = load<u32>(modulus, 4)
  const modulus2: u64 = load<u32>(modulus, 8)
  const modulus3: u64 = load<u32>(modulus, 12)
  const modulus4: u64 = load<u32>(modulus, 16)
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
  sum += a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1
  sum += q1 * modulus4 + q2 * modulus3 + q3 * modulus2 + q4 * modulus1
  store<u32>(out, (sum as u32) & 0x1fffffff, 0)
  sum >>= 29
  sum += a2 * b4 + a3 * b3 + a4 * b2
  sum += q2 * modulus4 + q3 * modulus3 + q4 * modulus2
  store<u32>(out, (sum as u32) & 0x1fffffff, 4)
  sum >>= 29
  sum += a3 * b4 + a4 * b3
  sum += q3 * modulus4 + q4 * modulus3
  store<u32>(out, (sum as u32) & 0x1fffffff, 8)
  sum >>= 29
  sum += a4 * b4
  sum += q4 * modulus4
  store<u32>(out, (sum as u32) & 0x1fffffff, 12)
  sum >>= 29
  store<u32>(out, sum as u32, 16)
}

/** out = a * a / 2^145, as above. */
export function montgomerySquare(out: usize, a: usize, modulus: usize, inverse: u32): void {
  const a0: u64 = load<u32>(a, 0)
  const a1: u64 = load<u32>(a, 4)
  const a2: u64 = load<u32>(a, 8)
  const a3: u64 = load<u32>(a, 12)
  const a4: u64 = load<u32>(a, 16)
  const modulus0: u64 = load<u32>(modulus, 0)
  const modulus1: u64 = load<u32>(modulus, 4)
  const modulus2: u64 = load<u32>(modulus, 8)
  const modulus3: u64 = load<u32>(modulus, 12)
  const modulus4: u64 = load<u32>(modulus, 16)
  const twice0 = a0 << 1
  const twice1 = a1 << 1
  const twice2 = a2 << 1
  const twice3 = a3 << 1
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
  sum += twice1 * a4 + twice2 * a3
  sum += q1 * modulus4 + q2 * modulus3 + q3 * modulus2 + q4 * modulus1
  store<u32>(out, (sum as u32) & 0x1fffffff, 0)
  sum >>= 29
  sum += twice2 * a4 + a3 * a3
  sum += q2 * modulus4 + q3 * modulus3 + q4 * modulus2
  store<u32>(out, (sum as u32) & 0x1fffffff, 4)
  sum >>= 29
  sum += twice3 * a4
  sum += q3 * modulus4 + q4 * modulus3
  store<u32>(out, (sum as u32) & 0x1fffffff, 8)
  sum >>= 29
  sum += a4 * a4
  sum += q4 * modulus4
  store<u32>(out, (sum as u32) & 0x1fffffff, 12)
  sum >>= 29
  store<u32>(out, sum as u32, 16)
}
