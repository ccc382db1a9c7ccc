// Written by tools/generate-curves.ts; do not edit.
//
// "carried" operands are outputs of a multiplication, "negated" ones of `negate`, "loose" ones of
// `subtract`; each kind includes those before it. Outputs of multiplications are carried.

/** out = a * b; a loose, b negated. */
export function multiply(out: usize, a: usize, b: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let b0: u64 = load<u32>(b, 0)
  let b1: u64 = load<u32>(b, 4)
  let b2: u64 = load<u32>(b, 8)
  let b3: u64 = load<u32>(b, 12)
  let b4: u64 = load<u32>(b, 16)
  let b5: u64 = load<u32>(b, 20)
  let b6: u64 = load<u32>(b, 24)
  let b7: u64 = load<u32>(b, 28)
  let b8: u64 = load<u32>(b, 32)
  let c: u64 = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += a7 * b8 + a8 * b7
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += a8 * b8
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = a0 * b0 + h0 * 31264
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b1 + a1 * b0 + h1 * 31264 + (h0 << 8)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + h2 * 31264 + (h1 << 8)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + h3 * 31264 + (h2 << 8)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + h4 * 31264 + (h3 << 8)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + h5 * 31264 + (h4 << 8)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + h6 * 31264 + (h5 << 8)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + h7 * 31264 + (h6 << 8)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + h8 * 31264 + (h7 << 8)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = a^2; a negated. */
export function square(out: usize, a: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let c: u64 = ((a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1)
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += a5 * a5 + ((a2 * a8 + a3 * a7 + a4 * a6) << 1)
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a3 * a8 + a4 * a7 + a5 * a6) << 1)
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += a6 * a6 + ((a4 * a8 + a5 * a7) << 1)
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a5 * a8 + a6 * a7) << 1)
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += a7 * a7 + ((a6 * a8) << 1)
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a7 * a8) << 1)
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += a8 * a8
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = a0 * a0 + h0 * 31264
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a1) << 1) + h1 * 31264 + (h0 << 8)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += a1 * a1 + ((a0 * a2) << 1) + h2 * 31264 + (h1 << 8)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a3 + a1 * a2) << 1) + h3 * 31264 + (h2 << 8)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += a2 * a2 + ((a0 * a4 + a1 * a3) << 1) + h4 * 31264 + (h3 << 8)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a5 + a1 * a4 + a2 * a3) << 1) + h5 * 31264 + (h4 << 8)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += a3 * a3 + ((a0 * a6 + a1 * a5 + a2 * a4) << 1) + h6 * 31264 + (h5 << 8)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1) + h7 * 31264 + (h6 << 8)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += a4 * a4 + ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1) + h8 * 31264 + (h7 << 8)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = 2 * a * b; a negated, b carried. */
export function multiplyBy2(out: usize, a: usize, b: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let b0: u64 = load<u32>(b, 0)
  let b1: u64 = load<u32>(b, 4)
  let b2: u64 = load<u32>(b, 8)
  let b3: u64 = load<u32>(b, 12)
  let b4: u64 = load<u32>(b, 16)
  let b5: u64 = load<u32>(b, 20)
  let b6: u64 = load<u32>(b, 24)
  let b7: u64 = load<u32>(b, 28)
  let b8: u64 = load<u32>(b, 32)
  let c: u64 = (a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1) * 2
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += (a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2) * 2
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += (a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3) * 2
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += (a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4) * 2
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += (a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5) * 2
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += (a6 * b8 + a7 * b7 + a8 * b6) * 2
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += (a7 * b8 + a8 * b7) * 2
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += (a8 * b8) * 2
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = (a0 * b0) * 2 + h0 * 31264
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b1 + a1 * b0) * 2 + h1 * 31264 + (h0 << 8)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b2 + a1 * b1 + a2 * b0) * 2 + h2 * 31264 + (h1 << 8)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0) * 2 + h3 * 31264 + (h2 << 8)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0) * 2 + h4 * 31264 + (h3 << 8)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0) * 2 + h5 * 31264 + (h4 << 8)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0) * 2 + h6 * 31264 + (h5 << 8)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0) * 2 + h7 * 31264 + (h6 << 8)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0) * 2 + h8 * 31264 + (h7 << 8)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = 4 * a * b; both carried. */
export function multiplyBy4(out: usize, a: usize, b: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let b0: u64 = load<u32>(b, 0)
  let b1: u64 = load<u32>(b, 4)
  let b2: u64 = load<u32>(b, 8)
  let b3: u64 = load<u32>(b, 12)
  let b4: u64 = load<u32>(b, 16)
  let b5: u64 = load<u32>(b, 20)
  let b6: u64 = load<u32>(b, 24)
  let b7: u64 = load<u32>(b, 28)
  let b8: u64 = load<u32>(b, 32)
  let c: u64 = (a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1) * 4
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += (a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2) * 4
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += (a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3) * 4
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += (a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4) * 4
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += (a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5) * 4
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += (a6 * b8 + a7 * b7 + a8 * b6) * 4
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += (a7 * b8 + a8 * b7) * 4
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += (a8 * b8) * 4
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = (a0 * b0) * 4 + h0 * 31264
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b1 + a1 * b0) * 4 + h1 * 31264 + (h0 << 8)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b2 + a1 * b1 + a2 * b0) * 4 + h2 * 31264 + (h1 << 8)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0) * 4 + h3 * 31264 + (h2 << 8)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0) * 4 + h4 * 31264 + (h3 << 8)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0) * 4 + h5 * 31264 + (h4 << 8)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0) * 4 + h6 * 31264 + (h5 << 8)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0) * 4 + h7 * 31264 + (h6 << 8)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += (a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0) * 4 + h8 * 31264 + (h7 << 8)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = 3 * a^2; a carried. */
export function squareBy3(out: usize, a: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let c: u64 = (((a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1)) * 3
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += (a5 * a5 + ((a2 * a8 + a3 * a7 + a4 * a6) << 1)) * 3
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += (((a3 * a8 + a4 * a7 + a5 * a6) << 1)) * 3
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += (a6 * a6 + ((a4 * a8 + a5 * a7) << 1)) * 3
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += (((a5 * a8 + a6 * a7) << 1)) * 3
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += (a7 * a7 + ((a6 * a8) << 1)) * 3
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += (((a7 * a8) << 1)) * 3
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += (a8 * a8) * 3
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = (a0 * a0) * 3 + h0 * 31264
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += (((a0 * a1) << 1)) * 3 + h1 * 31264 + (h0 << 8)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += (a1 * a1 + ((a0 * a2) << 1)) * 3 + h2 * 31264 + (h1 << 8)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += (((a0 * a3 + a1 * a2) << 1)) * 3 + h3 * 31264 + (h2 << 8)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += (a2 * a2 + ((a0 * a4 + a1 * a3) << 1)) * 3 + h4 * 31264 + (h3 << 8)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += (((a0 * a5 + a1 * a4 + a2 * a3) << 1)) * 3 + h5 * 31264 + (h4 << 8)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += (a3 * a3 + ((a0 * a6 + a1 * a5 + a2 * a4) << 1)) * 3 + h6 * 31264 + (h5 << 8)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += (((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1)) * 3 + h7 * 31264 + (h6 << 8)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += (a4 * a4 + ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1)) * 3 + h8 * 31264 + (h7 << 8)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = a * b - s; a loose, b and s negated. */
export function multiplyMinus(out: usize, a: usize, b: usize, s: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let b0: u64 = load<u32>(b, 0)
  let b1: u64 = load<u32>(b, 4)
  let b2: u64 = load<u32>(b, 8)
  let b3: u64 = load<u32>(b, 12)
  let b4: u64 = load<u32>(b, 16)
  let b5: u64 = load<u32>(b, 20)
  let b6: u64 = load<u32>(b, 24)
  let b7: u64 = load<u32>(b, 28)
  let b8: u64 = load<u32>(b, 32)
  let c: u64 = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += a7 * b8 + a8 * b7
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += a8 * b8
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = a0 * b0 + h0 * 31264 + 0x3ffff85e - (load<u32>(s, 0) as u64)
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b1 + a1 * b0 + h1 * 31264 + (h0 << 8) + 0x3fffffee - (load<u32>(s, 4) as u64)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + h2 * 31264 + (h1 << 8) + 0x3ffffffe - (load<u32>(s, 8) as u64)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + h3 * 31264 + (h2 << 8) + 0x3ffffffe - (load<u32>(s, 12) as u64)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + h4 * 31264 + (h3 << 8) + 0x3ffffffe - (load<u32>(s, 16) as u64)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + h5 * 31264 + (h4 << 8) + 0x3ffffffe - (load<u32>(s, 20) as u64)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + h6 * 31264 + (h5 << 8) + 0x3ffffffe - (load<u32>(s, 24) as u64)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + h7 * 31264 + (h6 << 8) + 0x3ffffffe - (load<u32>(s, 28) as u64)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + h8 * 31264 + (h7 << 8) + 0x1fffffe - (load<u32>(s, 32) as u64)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = a * b - 8 * s; a loose, others carried. */
export function multiplyMinus8(out: usize, a: usize, b: usize, s: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let b0: u64 = load<u32>(b, 0)
  let b1: u64 = load<u32>(b, 4)
  let b2: u64 = load<u32>(b, 8)
  let b3: u64 = load<u32>(b, 12)
  let b4: u64 = load<u32>(b, 16)
  let b5: u64 = load<u32>(b, 20)
  let b6: u64 = load<u32>(b, 24)
  let b7: u64 = load<u32>(b, 28)
  let b8: u64 = load<u32>(b, 32)
  let c: u64 = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += a7 * b8 + a8 * b7
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += a8 * b8
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = a0 * b0 + h0 * 31264 + 0x11fffdda7 - 8 * (load<u32>(s, 0) as u64)
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b1 + a1 * b0 + h1 * 31264 + (h0 << 8) + 0x11fffffaf - 8 * (load<u32>(s, 4) as u64)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + h2 * 31264 + (h1 << 8) + 0x11ffffff7 - 8 * (load<u32>(s, 8) as u64)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + h3 * 31264 + (h2 << 8) + 0x11ffffff7 - 8 * (load<u32>(s, 12) as u64)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + h4 * 31264 + (h3 << 8) + 0x11ffffff7 - 8 * (load<u32>(s, 16) as u64)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + h5 * 31264 + (h4 << 8) + 0x11ffffff7 - 8 * (load<u32>(s, 20) as u64)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + h6 * 31264 + (h5 << 8) + 0x11ffffff7 - 8 * (load<u32>(s, 24) as u64)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + h7 * 31264 + (h6 << 8) + 0x11ffffff7 - 8 * (load<u32>(s, 28) as u64)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + h8 * 31264 + (h7 << 8) + 0x8fffff7 - 8 * (load<u32>(s, 32) as u64)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = a^2 - 2 * s; both carried. */
export function squareMinus2(out: usize, a: usize, s: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let c: u64 = ((a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1)
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += a5 * a5 + ((a2 * a8 + a3 * a7 + a4 * a6) << 1)
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a3 * a8 + a4 * a7 + a5 * a6) << 1)
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += a6 * a6 + ((a4 * a8 + a5 * a7) << 1)
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a5 * a8 + a6 * a7) << 1)
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += a7 * a7 + ((a6 * a8) << 1)
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a7 * a8) << 1)
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += a8 * a8
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = a0 * a0 + h0 * 31264 + 0x5ffff48d - 2 * (load<u32>(s, 0) as u64)
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a1) << 1) + h1 * 31264 + (h0 << 8) + 0x5fffffe5 - 2 * (load<u32>(s, 4) as u64)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += a1 * a1 + ((a0 * a2) << 1) + h2 * 31264 + (h1 << 8) + 0x5ffffffd - 2 * (load<u32>(s, 8) as u64)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a3 + a1 * a2) << 1) + h3 * 31264 + (h2 << 8) + 0x5ffffffd - 2 * (load<u32>(s, 12) as u64)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += a2 * a2 + ((a0 * a4 + a1 * a3) << 1) + h4 * 31264 + (h3 << 8) + 0x5ffffffd - 2 * (load<u32>(s, 16) as u64)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a5 + a1 * a4 + a2 * a3) << 1) + h5 * 31264 + (h4 << 8) + 0x5ffffffd - 2 * (load<u32>(s, 20) as u64)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += a3 * a3 + ((a0 * a6 + a1 * a5 + a2 * a4) << 1) + h6 * 31264 + (h5 << 8) + 0x5ffffffd - 2 * (load<u32>(s, 24) as u64)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1) + h7 * 31264 + (h6 << 8) + 0x5ffffffd - 2 * (load<u32>(s, 28) as u64)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += a4 * a4 + ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1) + h8 * 31264 + (h7 << 8) + 0x2fffffd - 2 * (load<u32>(s, 32) as u64)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = a^2 - s - 2 * t; all carried. */
export function squareMinusMinus2(out: usize, a: usize, s: usize, t: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let c: u64 = ((a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1)
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += a5 * a5 + ((a2 * a8 + a3 * a7 + a4 * a6) << 1)
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a3 * a8 + a4 * a7 + a5 * a6) << 1)
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += a6 * a6 + ((a4 * a8 + a5 * a7) << 1)
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a5 * a8 + a6 * a7) << 1)
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += a7 * a7 + ((a6 * a8) << 1)
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a7 * a8) << 1)
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += a8 * a8
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = a0 * a0 + h0 * 31264 + 0x7ffff0bc - (load<u32>(s, 0) as u64) - 2 * (load<u32>(t, 0) as u64)
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a1) << 1) + h1 * 31264 + (h0 << 8) + 0x7fffffdc - (load<u32>(s, 4) as u64) - 2 * (load<u32>(t, 4) as u64)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += a1 * a1 + ((a0 * a2) << 1) + h2 * 31264 + (h1 << 8) + 0x7ffffffc - (load<u32>(s, 8) as u64) - 2 * (load<u32>(t, 8) as u64)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a3 + a1 * a2) << 1) + h3 * 31264 + (h2 << 8) + 0x7ffffffc - (load<u32>(s, 12) as u64) - 2 * (load<u32>(t, 12) as u64)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += a2 * a2 + ((a0 * a4 + a1 * a3) << 1) + h4 * 31264 + (h3 << 8) + 0x7ffffffc - (load<u32>(s, 16) as u64) - 2 * (load<u32>(t, 16) as u64)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a5 + a1 * a4 + a2 * a3) << 1) + h5 * 31264 + (h4 << 8) + 0x7ffffffc - (load<u32>(s, 20) as u64) - 2 * (load<u32>(t, 20) as u64)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += a3 * a3 + ((a0 * a6 + a1 * a5 + a2 * a4) << 1) + h6 * 31264 + (h5 << 8) + 0x7ffffffc - (load<u32>(s, 24) as u64) - 2 * (load<u32>(t, 24) as u64)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += ((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1) + h7 * 31264 + (h6 << 8) + 0x7ffffffc - (load<u32>(s, 28) as u64) - 2 * (load<u32>(t, 28) as u64)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += a4 * a4 + ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1) + h8 * 31264 + (h7 << 8) + 0x3fffffc - (load<u32>(s, 32) as u64) - 2 * (load<u32>(t, 32) as u64)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = a * b + x * y; a loose, b carried, x and y negated. */
export function multiplyPair(out: usize, a: usize, b: usize, x: usize, y: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let b0: u64 = load<u32>(b, 0)
  let b1: u64 = load<u32>(b, 4)
  let b2: u64 = load<u32>(b, 8)
  let b3: u64 = load<u32>(b, 12)
  let b4: u64 = load<u32>(b, 16)
  let b5: u64 = load<u32>(b, 20)
  let b6: u64 = load<u32>(b, 24)
  let b7: u64 = load<u32>(b, 28)
  let b8: u64 = load<u32>(b, 32)
  let x0: u64 = load<u32>(x, 0)
  let x1: u64 = load<u32>(x, 4)
  let x2: u64 = load<u32>(x, 8)
  let x3: u64 = load<u32>(x, 12)
  let x4: u64 = load<u32>(x, 16)
  let x5: u64 = load<u32>(x, 20)
  let x6: u64 = load<u32>(x, 24)
  let x7: u64 = load<u32>(x, 28)
  let x8: u64 = load<u32>(x, 32)
  let y0: u64 = load<u32>(y, 0)
  let y1: u64 = load<u32>(y, 4)
  let y2: u64 = load<u32>(y, 8)
  let y3: u64 = load<u32>(y, 12)
  let y4: u64 = load<u32>(y, 16)
  let y5: u64 = load<u32>(y, 20)
  let y6: u64 = load<u32>(y, 24)
  let y7: u64 = load<u32>(y, 28)
  let y8: u64 = load<u32>(y, 32)
  let c: u64 = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + x1 * y8 + x2 * y7 + x3 * y6 + x4 * y5 + x5 * y4 + x6 * y3 + x7 * y2 + x8 * y1
  let h0: u64 = c & 0x1fffffff
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + x2 * y8 + x3 * y7 + x4 * y6 + x5 * y5 + x6 * y4 + x7 * y3 + x8 * y2
  let h1: u64 = c & 0x1fffffff
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + x3 * y8 + x4 * y7 + x5 * y6 + x6 * y5 + x7 * y4 + x8 * y3
  let h2: u64 = c & 0x1fffffff
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + x4 * y8 + x5 * y7 + x6 * y6 + x7 * y5 + x8 * y4
  let h3: u64 = c & 0x1fffffff
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + x5 * y8 + x6 * y7 + x7 * y6 + x8 * y5
  let h4: u64 = c & 0x1fffffff
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6 + x6 * y8 + x7 * y7 + x8 * y6
  let h5: u64 = c & 0x1fffffff
  c >>= 29
  c += a7 * b8 + a8 * b7 + x7 * y8 + x8 * y7
  let h6: u64 = c & 0x1fffffff
  c >>= 29
  c += a8 * b8 + x8 * y8
  let h7: u64 = c & 0x1fffffff
  c >>= 29
  let h8: u64 = c
  c = a0 * b0 + x0 * y0 + h0 * 31264
  let r0: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b1 + a1 * b0 + x0 * y1 + x1 * y0 + h1 * 31264 + (h0 << 8)
  let r1: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + x0 * y2 + x1 * y1 + x2 * y0 + h2 * 31264 + (h1 << 8)
  let r2: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + x0 * y3 + x1 * y2 + x2 * y1 + x3 * y0 + h3 * 31264 + (h2 << 8)
  let r3: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + x0 * y4 + x1 * y3 + x2 * y2 + x3 * y1 + x4 * y0 + h4 * 31264 + (h3 << 8)
  let r4: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + x0 * y5 + x1 * y4 + x2 * y3 + x3 * y2 + x4 * y1 + x5 * y0 + h5 * 31264 + (h4 << 8)
  let r5: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + x0 * y6 + x1 * y5 + x2 * y4 + x3 * y3 + x4 * y2 + x5 * y1 + x6 * y0 + h6 * 31264 + (h5 << 8)
  let r6: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + x0 * y7 + x1 * y6 + x2 * y5 + x3 * y4 + x4 * y3 + x5 * y2 + x6 * y1 + x7 * y0 + h7 * 31264 + (h6 << 8)
  let r7: u64 = c & 0x1fffffff
  c >>= 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + x0 * y8 + x1 * y7 + x2 * y6 + x3 * y5 + x4 * y4 + x5 * y3 + x6 * y2 + x7 * y1 + x8 * y0 + h8 * 31264 + (h7 << 8)
  let r8: u64 = c & 0x1fffffff
  c >>= 29
  c += h8 << 8
  c = (c << 5) | (r8 >> 24)
  let f: u64 = r0 + c * 977
  store<u32>(out, f & 0x1fffffff)
  f = (f >> 29) + r1 + (c << 3)
  store<u32>(out, f & 0x1fffffff, 4)
  store<u32>(out, (f >> 29) + r2, 8)
  store<u32>(out, r3, 12)
  store<u32>(out, r4, 16)
  store<u32>(out, r5, 20)
  store<u32>(out, r6, 24)
  store<u32>(out, r7, 28)
  store<u32>(out, r8 & 0xffffff, 32)
}

/** out = a - b; both carried. */
@inline
export function subtract(out: usize, a: usize, b: usize): void {
  store<u32>(out, load<u32>(a, 0) + 0x3ffff85e - load<u32>(b, 0), 0)
  store<u32>(out, load<u32>(a, 4) + 0x3fffffee - load<u32>(b, 4), 4)
  store<u32>(out, load<u32>(a, 8) + 0x3ffffffe - load<u32>(b, 8), 8)
  store<u32>(out, load<u32>(a, 12) + 0x3ffffffe - load<u32>(b, 12), 12)
  store<u32>(out, load<u32>(a, 16) + 0x3ffffffe - load<u32>(b, 16), 16)
  store<u32>(out, load<u32>(a, 20) + 0x3ffffffe - load<u32>(b, 20), 20)
  store<u32>(out, load<u32>(a, 24) + 0x3ffffffe - load<u32>(b, 24), 24)
  store<u32>(out, load<u32>(a, 28) + 0x3ffffffe - load<u32>(b, 28), 28)
  store<u32>(out, load<u32>(a, 32) + 0x1fffffe - load<u32>(b, 32), 32)
}

/** out = -b; b carried. */
@inline
export function negate(out: usize, b: usize): void {
  store<u32>(out, 0x3ffff85e - load<u32>(b, 0), 0)
  store<u32>(out, 0x3fffffee - load<u32>(b, 4), 4)
  store<u32>(out, 0x3ffffffe - load<u32>(b, 8), 8)
  store<u32>(out, 0x3ffffffe - load<u32>(b, 12), 12)
  store<u32>(out, 0x3ffffffe - load<u32>(b, 16), 16)
  store<u32>(out, 0x3ffffffe - load<u32>(b, 20), 20)
  store<u32>(out, 0x3ffffffe - load<u32>(b, 24), 24)
  store<u32>(out, 0x3ffffffe - load<u32>(b, 28), 28)
  store<u32>(out, 0x1fffffe - load<u32>(b, 32), 32)
}

export const PRIME: usize = memory.data<u32>([
  0x1ffffc2f, 0x1ffffff7, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0xffffff,
])

export const PRIME_INVERSE: usize = memory.data<u32>([
  0x3ffffc2f, 0x3ffffffb, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0xffff,
  0x2ddacacf,
])

/** A cube root of one: (x, y) -> (BETA * x, y) multiplies a point by lambda. */
export const BETA: usize = memory.data<u32>([
  0x119501ee, 0x9cb6143, 0x1d626570, 0x92ea25, 0x34e99cf, 0x3cf561a, 0x1c41b991, 0x56caf80, 0x7ae96a,
])

/** out = a * b / 2^261 modulo the order, below twice the order. */
export function scalarMultiply(out: usize, a: usize, b: usize): void {
  let a0: u64 = load<u32>(a, 0)
  let a1: u64 = load<u32>(a, 4)
  let a2: u64 = load<u32>(a, 8)
  let a3: u64 = load<u32>(a, 12)
  let a4: u64 = load<u32>(a, 16)
  let a5: u64 = load<u32>(a, 20)
  let a6: u64 = load<u32>(a, 24)
  let a7: u64 = load<u32>(a, 28)
  let a8: u64 = load<u32>(a, 32)
  let b0: u64 = load<u32>(b, 0)
  let b1: u64 = load<u32>(b, 4)
  let b2: u64 = load<u32>(b, 8)
  let b3: u64 = load<u32>(b, 12)
  let b4: u64 = load<u32>(b, 16)
  let b5: u64 = load<u32>(b, 20)
  let b6: u64 = load<u32>(b, 24)
  let b7: u64 = load<u32>(b, 28)
  let b8: u64 = load<u32>(b, 32)
  let c: u64 = a0 * b0
  let m0: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m0 * 0x10364141) >> 29
  c += a0 * b1 + a1 * b0 + m0 * 0x1e92f466
  let m1: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m1 * 0x10364141) >> 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + m0 * 0x12280eef + m1 * 0x1e92f466
  let m2: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m2 * 0x10364141) >> 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + m0 * 0x1db9cd5e + m1 * 0x12280eef + m2 * 0x1e92f466
  let m3: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m3 * 0x10364141) >> 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + m0 * 0x1fffebaa + m1 * 0x1db9cd5e + m2 * 0x12280eef + m3 * 0x1e92f466
  let m4: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m4 * 0x10364141) >> 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + m0 * 0x1fffffff + m1 * 0x1fffebaa + m2 * 0x1db9cd5e + m3 * 0x12280eef + m4 * 0x1e92f466
  let m5: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m5 * 0x10364141) >> 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + m0 * 0x1fffffff + m1 * 0x1fffffff + m2 * 0x1fffebaa + m3 * 0x1db9cd5e + m4 * 0x12280eef + m5 * 0x1e92f466
  let m6: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m6 * 0x10364141) >> 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + m0 * 0x1fffffff + m1 * 0x1fffffff + m2 * 0x1fffffff + m3 * 0x1fffebaa + m4 * 0x1db9cd5e + m5 * 0x12280eef + m6 * 0x1e92f466
  let m7: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m7 * 0x10364141) >> 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + m0 * 0xffffff + m1 * 0x1fffffff + m2 * 0x1fffffff + m3 * 0x1fffffff + m4 * 0x1fffebaa + m5 * 0x1db9cd5e + m6 * 0x12280eef + m7 * 0x1e92f466
  let m8: u64 = (c * 0x1588b13f) & 0x1fffffff
  c = (c + m8 * 0x10364141) >> 29
  c += a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + m1 * 0xffffff + m2 * 0x1fffffff + m3 * 0x1fffffff + m4 * 0x1fffffff + m5 * 0x1fffebaa + m6 * 0x1db9cd5e + m7 * 0x12280eef + m8 * 0x1e92f466
  store<u32>(out, c & 0x1fffffff, 0)
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + m2 * 0xffffff + m3 * 0x1fffffff + m4 * 0x1fffffff + m5 * 0x1fffffff + m6 * 0x1fffebaa + m7 * 0x1db9cd5e + m8 * 0x12280eef
  store<u32>(out, c & 0x1fffffff, 4)
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + m3 * 0xffffff + m4 * 0x1fffffff + m5 * 0x1fffffff + m6 * 0x1fffffff + m7 * 0x1fffebaa + m8 * 0x1db9cd5e
  store<u32>(out, c & 0x1fffffff, 8)
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + m4 * 0xffffff + m5 * 0x1fffffff + m6 * 0x1fffffff + m7 * 0x1fffffff + m8 * 0x1fffebaa
  store<u32>(out, c & 0x1fffffff, 12)
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + m5 * 0xffffff + m6 * 0x1fffffff + m7 * 0x1fffffff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 16)
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6 + m6 * 0xffffff + m7 * 0x1fffffff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 20)
  c >>= 29
  c += a7 * b8 + a8 * b7 + m7 * 0xffffff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 24)
  c >>= 29
  c += a8 * b8 + m8 * 0xffffff
  store<u32>(out, c & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, c, 32)
}

export const ORDER: usize = memory.data<u32>([
  0x10364141, 0x1e92f466, 0x12280eef, 0x1db9cd5e, 0x1fffebaa, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0xffffff,
])

export const HALF_ORDER: usize = memory.data<u32>([
  0x81b20a0, 0x1f497a33, 0x9140777, 0xedce6af, 0x1ffff5d5, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x7fffff,
])

export const ORDER_INVERSE: usize = memory.data<u32>([
  0x10364141, 0x3f497a33, 0x348a03bb, 0x2bb739ab, 0x3ffffeba, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0xffff,
  0x2a774ec1,
])

/** 2^522 modulo the order: scalarMultiply by it brings a value into Montgomery form. */
export const ORDER_SQUARED_RADIX: usize = memory.data<u32>([
  0x9f6ab4b, 0x1f300d1e, 0x1c0bd5d8, 0xc8ada8c, 0x11cefa2b, 0x8b79a0f, 0x1e697f5e, 0xe34de2, 0x9c7356,
])

/** The lattice basis (a1, b1), (a2, b2) of GLV: -b1, -b2 and -lambda in Montgomery form. */
export const MINUS_B1: usize = memory.data<u32>([
  0x1a4bc27c, 0xa1cfe70, 0xec9da68, 0x99a492f, 0x1ee2878d, 0xae8ac47, 0x30ab8da, 0x1277d41b, 0x424115,
])

export const MINUS_B2: usize = memory.data<u32>([
  0x1d72b4a8, 0xe9766cd, 0x1f0861e6, 0x1a063c10, 0x1f9e250e, 0x165ba244, 0xbb66f, 0xe385cd6, 0x4aaebd,
])

export const MINUS_LAMBDA: usize = memory.data<u32>([
  0x73a0b, 0x1265429e, 0x13163ccb, 0xd10721e, 0x4dcc730, 0x1f9ad968, 0x3462b4c, 0x1ea9ca7, 0x9af7fd,
])

/** b2 and -b1 over the order, times 2^384, rounded; eight 32-bit words. */
export const B2_OVER_ORDER: usize = memory.data<u32>([
  0x45dbb031, 0xe893209a, 0x71e8ca7f, 0x3daa8a14, 0x9284eb15, 0xe86c90e4, 0xa7d46bcd, 0x3086d221,
])

export const MINUS_B1_OVER_ORDER: usize = memory.data<u32>([
  0x8ac47f71, 0x1571b4ae, 0x9df506c6, 0x221208ac, 0xabfe4c4, 0x6f547fa9, 0x10e8828, 0xe4437ed6,
])
