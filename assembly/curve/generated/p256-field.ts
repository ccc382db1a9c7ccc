// Written by tools/generate-curves.ts; do not edit.
//
// Values are in Montgomery form (times 2^261) and at most a sixteenth above 2^256.

/** out = a * b. */
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
  let c: u64 = a0 * b0
  let m0: u64 = c & 0x1fffffff
  c = (c + m0 * 0x1fffffff) >> 29
  c += a0 * b1 + a1 * b0 + m0 * 0x1fffffff
  let m1: u64 = c & 0x1fffffff
  c = (c + m1 * 0x1fffffff) >> 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + m0 * 0x1fffffff + m1 * 0x1fffffff
  let m2: u64 = c & 0x1fffffff
  c = (c + m2 * 0x1fffffff) >> 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + m0 * 0x1ff + m1 * 0x1fffffff + m2 * 0x1fffffff
  let m3: u64 = c & 0x1fffffff
  c = (c + m3 * 0x1fffffff) >> 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + m1 * 0x1ff + m2 * 0x1fffffff + m3 * 0x1fffffff
  let m4: u64 = c & 0x1fffffff
  c = (c + m4 * 0x1fffffff) >> 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + m2 * 0x1ff + m3 * 0x1fffffff + m4 * 0x1fffffff
  let m5: u64 = c & 0x1fffffff
  c = (c + m5 * 0x1fffffff) >> 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + m0 * 0x40000 + m3 * 0x1ff + m4 * 0x1fffffff + m5 * 0x1fffffff
  let m6: u64 = c & 0x1fffffff
  c = (c + m6 * 0x1fffffff) >> 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + m0 * 0x1fe00000 + m1 * 0x40000 + m4 * 0x1ff + m5 * 0x1fffffff + m6 * 0x1fffffff
  let m7: u64 = c & 0x1fffffff
  c = (c + m7 * 0x1fffffff) >> 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + m0 * 0xffffff + m1 * 0x1fe00000 + m2 * 0x40000 + m5 * 0x1ff + m6 * 0x1fffffff + m7 * 0x1fffffff
  let m8: u64 = c & 0x1fffffff
  c = (c + m8 * 0x1fffffff) >> 29
  c += a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + m1 * 0xffffff + m2 * 0x1fe00000 + m3 * 0x40000 + m6 * 0x1ff + m7 * 0x1fffffff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 0)
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + m2 * 0xffffff + m3 * 0x1fe00000 + m4 * 0x40000 + m7 * 0x1ff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 4)
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + m3 * 0xffffff + m4 * 0x1fe00000 + m5 * 0x40000 + m8 * 0x1ff
  store<u32>(out, c & 0x1fffffff, 8)
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + m4 * 0xffffff + m5 * 0x1fe00000 + m6 * 0x40000
  store<u32>(out, c & 0x1fffffff, 12)
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + m5 * 0xffffff + m6 * 0x1fe00000 + m7 * 0x40000
  store<u32>(out, c & 0x1fffffff, 16)
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6 + m6 * 0xffffff + m7 * 0x1fe00000 + m8 * 0x40000
  store<u32>(out, c & 0x1fffffff, 20)
  c >>= 29
  c += a7 * b8 + a8 * b7 + m7 * 0xffffff + m8 * 0x1fe00000
  store<u32>(out, c & 0x1fffffff, 24)
  c >>= 29
  c += a8 * b8 + m8 * 0xffffff
  store<u32>(out, c & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, c, 32)
}

/** out = a^2. */
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
  let c: u64 = a0 * a0
  let m0: u64 = c & 0x1fffffff
  c = (c + m0 * 0x1fffffff) >> 29
  c += ((a0 * a1) << 1) + m0 * 0x1fffffff
  let m1: u64 = c & 0x1fffffff
  c = (c + m1 * 0x1fffffff) >> 29
  c += a1 * a1 + ((a0 * a2) << 1) + m0 * 0x1fffffff + m1 * 0x1fffffff
  let m2: u64 = c & 0x1fffffff
  c = (c + m2 * 0x1fffffff) >> 29
  c += ((a0 * a3 + a1 * a2) << 1) + m0 * 0x1ff + m1 * 0x1fffffff + m2 * 0x1fffffff
  let m3: u64 = c & 0x1fffffff
  c = (c + m3 * 0x1fffffff) >> 29
  c += a2 * a2 + ((a0 * a4 + a1 * a3) << 1) + m1 * 0x1ff + m2 * 0x1fffffff + m3 * 0x1fffffff
  let m4: u64 = c & 0x1fffffff
  c = (c + m4 * 0x1fffffff) >> 29
  c += ((a0 * a5 + a1 * a4 + a2 * a3) << 1) + m2 * 0x1ff + m3 * 0x1fffffff + m4 * 0x1fffffff
  let m5: u64 = c & 0x1fffffff
  c = (c + m5 * 0x1fffffff) >> 29
  c += a3 * a3 + ((a0 * a6 + a1 * a5 + a2 * a4) << 1) + m0 * 0x40000 + m3 * 0x1ff + m4 * 0x1fffffff + m5 * 0x1fffffff
  let m6: u64 = c & 0x1fffffff
  c = (c + m6 * 0x1fffffff) >> 29
  c += ((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1) + m0 * 0x1fe00000 + m1 * 0x40000 + m4 * 0x1ff + m5 * 0x1fffffff + m6 * 0x1fffffff
  let m7: u64 = c & 0x1fffffff
  c = (c + m7 * 0x1fffffff) >> 29
  c += a4 * a4 + ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1) + m0 * 0xffffff + m1 * 0x1fe00000 + m2 * 0x40000 + m5 * 0x1ff + m6 * 0x1fffffff + m7 * 0x1fffffff
  let m8: u64 = c & 0x1fffffff
  c = (c + m8 * 0x1fffffff) >> 29
  c += ((a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1) + m1 * 0xffffff + m2 * 0x1fe00000 + m3 * 0x40000 + m6 * 0x1ff + m7 * 0x1fffffff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 0)
  c >>= 29
  c += a5 * a5 + ((a2 * a8 + a3 * a7 + a4 * a6) << 1) + m2 * 0xffffff + m3 * 0x1fe00000 + m4 * 0x40000 + m7 * 0x1ff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 4)
  c >>= 29
  c += ((a3 * a8 + a4 * a7 + a5 * a6) << 1) + m3 * 0xffffff + m4 * 0x1fe00000 + m5 * 0x40000 + m8 * 0x1ff
  store<u32>(out, c & 0x1fffffff, 8)
  c >>= 29
  c += a6 * a6 + ((a4 * a8 + a5 * a7) << 1) + m4 * 0xffffff + m5 * 0x1fe00000 + m6 * 0x40000
  store<u32>(out, c & 0x1fffffff, 12)
  c >>= 29
  c += ((a5 * a8 + a6 * a7) << 1) + m5 * 0xffffff + m6 * 0x1fe00000 + m7 * 0x40000
  store<u32>(out, c & 0x1fffffff, 16)
  c >>= 29
  c += a7 * a7 + ((a6 * a8) << 1) + m6 * 0xffffff + m7 * 0x1fe00000 + m8 * 0x40000
  store<u32>(out, c & 0x1fffffff, 20)
  c >>= 29
  c += ((a7 * a8) << 1) + m7 * 0xffffff + m8 * 0x1fe00000
  store<u32>(out, c & 0x1fffffff, 24)
  c >>= 29
  c += a8 * a8 + m8 * 0xffffff
  store<u32>(out, c & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, c, 32)
}

/** out = a + b. */
export function add(out: usize, a: usize, b: usize): void {
  let top: i64 = (load<u32>(a, 32) as i64) + (load<u32>(b, 32) as i64)
  const q = top >> 24
  let c: i64 = 0
  c += (load<u32>(a, 0) as i64) + (load<u32>(b, 0) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += (load<u32>(a, 4) as i64) + (load<u32>(b, 4) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += (load<u32>(a, 8) as i64) + (load<u32>(b, 8) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += (load<u32>(a, 12) as i64) + (load<u32>(b, 12) as i64) - q * 0x1ff
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += (load<u32>(a, 16) as i64) + (load<u32>(b, 16) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += (load<u32>(a, 20) as i64) + (load<u32>(b, 20) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += (load<u32>(a, 24) as i64) + (load<u32>(b, 24) as i64) - q * 0x40000
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += (load<u32>(a, 28) as i64) + (load<u32>(b, 28) as i64) - q * 0x1fe00000
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0xffffff) as u32, 32)
}

/** out = a - b. */
export function subtract(out: usize, a: usize, b: usize): void {
  let top: i64 = 0x1fffffe + (load<u32>(a, 32) as i64) - (load<u32>(b, 32) as i64)
  const q = top >> 24
  let c: i64 = 0
  c += 0x3ffffffe + (load<u32>(a, 0) as i64) - (load<u32>(b, 0) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x3ffffffe + (load<u32>(a, 4) as i64) - (load<u32>(b, 4) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x3ffffffe + (load<u32>(a, 8) as i64) - (load<u32>(b, 8) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x200003fe + (load<u32>(a, 12) as i64) - (load<u32>(b, 12) as i64) - q * 0x1ff
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0x1fffffff + (load<u32>(a, 16) as i64) - (load<u32>(b, 16) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0x1fffffff + (load<u32>(a, 20) as i64) - (load<u32>(b, 20) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x2007ffff + (load<u32>(a, 24) as i64) - (load<u32>(b, 24) as i64) - q * 0x40000
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x3fbfffff + (load<u32>(a, 28) as i64) - (load<u32>(b, 28) as i64) - q * 0x1fe00000
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0xffffff) as u32, 32)
}

/** out = a - 2 * b. */
export function subtractTwice(out: usize, a: usize, b: usize): void {
  let top: i64 = 0x2fffffd + (load<u32>(a, 32) as i64) - 2 * (load<u32>(b, 32) as i64)
  const q = top >> 24
  let c: i64 = 0
  c += 0x5ffffffd + (load<u32>(a, 0) as i64) - 2 * (load<u32>(b, 0) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x5ffffffd + (load<u32>(a, 4) as i64) - 2 * (load<u32>(b, 4) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x5ffffffd + (load<u32>(a, 8) as i64) - 2 * (load<u32>(b, 8) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x400005fd + (load<u32>(a, 12) as i64) - 2 * (load<u32>(b, 12) as i64) - q * 0x1ff
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0x3ffffffe + (load<u32>(a, 16) as i64) - 2 * (load<u32>(b, 16) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0x3ffffffe + (load<u32>(a, 20) as i64) - 2 * (load<u32>(b, 20) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x400bfffe + (load<u32>(a, 24) as i64) - 2 * (load<u32>(b, 24) as i64) - q * 0x40000
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x5f9ffffe + (load<u32>(a, 28) as i64) - 2 * (load<u32>(b, 28) as i64) - q * 0x1fe00000
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0xffffff) as u32, 32)
}

/** out = a - 8 * b. */
export function subtractEight(out: usize, a: usize, b: usize): void {
  let top: i64 = 0x8fffff7 + (load<u32>(a, 32) as i64) - 8 * (load<u32>(b, 32) as i64)
  const q = top >> 24
  let c: i64 = 0
  c += 0x11ffffff7 + (load<u32>(a, 0) as i64) - 8 * (load<u32>(b, 0) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x11ffffff7 + (load<u32>(a, 4) as i64) - 8 * (load<u32>(b, 4) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x11ffffff7 + (load<u32>(a, 8) as i64) - 8 * (load<u32>(b, 8) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x1000011f7 + (load<u32>(a, 12) as i64) - 8 * (load<u32>(b, 12) as i64) - q * 0x1ff
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0xfffffff8 + (load<u32>(a, 16) as i64) - 8 * (load<u32>(b, 16) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0xfffffff8 + (load<u32>(a, 20) as i64) - 8 * (load<u32>(b, 20) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x10023fff8 + (load<u32>(a, 24) as i64) - 8 * (load<u32>(b, 24) as i64) - q * 0x40000
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x11edffff8 + (load<u32>(a, 28) as i64) - 8 * (load<u32>(b, 28) as i64) - q * 0x1fe00000
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0xffffff) as u32, 32)
}

/** out = 4 * a - b. */
export function fourMinus(out: usize, a: usize, b: usize): void {
  let top: i64 = 0x1fffffe + 4 * (load<u32>(a, 32) as i64) - (load<u32>(b, 32) as i64)
  const q = top >> 24
  let c: i64 = 0
  c += 0x3ffffffe + 4 * (load<u32>(a, 0) as i64) - (load<u32>(b, 0) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x3ffffffe + 4 * (load<u32>(a, 4) as i64) - (load<u32>(b, 4) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x3ffffffe + 4 * (load<u32>(a, 8) as i64) - (load<u32>(b, 8) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x200003fe + 4 * (load<u32>(a, 12) as i64) - (load<u32>(b, 12) as i64) - q * 0x1ff
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0x1fffffff + 4 * (load<u32>(a, 16) as i64) - (load<u32>(b, 16) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0x1fffffff + 4 * (load<u32>(a, 20) as i64) - (load<u32>(b, 20) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x2007ffff + 4 * (load<u32>(a, 24) as i64) - (load<u32>(b, 24) as i64) - q * 0x40000
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x3fbfffff + 4 * (load<u32>(a, 28) as i64) - (load<u32>(b, 28) as i64) - q * 0x1fe00000
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0xffffff) as u32, 32)
}

/** out = 2 * a. */
export function twice(out: usize, a: usize): void {
  let top: i64 = 2 * (load<u32>(a, 32) as i64)
  const q = top >> 24
  let c: i64 = 0
  c += 2 * (load<u32>(a, 0) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 2 * (load<u32>(a, 4) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 2 * (load<u32>(a, 8) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 2 * (load<u32>(a, 12) as i64) - q * 0x1ff
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 2 * (load<u32>(a, 16) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 2 * (load<u32>(a, 20) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 2 * (load<u32>(a, 24) as i64) - q * 0x40000
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 2 * (load<u32>(a, 28) as i64) - q * 0x1fe00000
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0xffffff) as u32, 32)
}

/** out = 3 * a. */
export function thrice(out: usize, a: usize): void {
  let top: i64 = 3 * (load<u32>(a, 32) as i64)
  const q = top >> 24
  let c: i64 = 0
  c += 3 * (load<u32>(a, 0) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 3 * (load<u32>(a, 4) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 3 * (load<u32>(a, 8) as i64) - q * 0x1fffffff
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 3 * (load<u32>(a, 12) as i64) - q * 0x1ff
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 3 * (load<u32>(a, 16) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 3 * (load<u32>(a, 20) as i64)
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 3 * (load<u32>(a, 24) as i64) - q * 0x40000
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 3 * (load<u32>(a, 28) as i64) - q * 0x1fe00000
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0xffffff) as u32, 32)
}

export const PRIME: usize = memory.data<u32>([
  0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1ff, 0x0, 0x0, 0x40000, 0x1fe00000, 0xffffff,
])

export const PRIME_INVERSE: usize = memory.data<u32>([
  0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3f, 0x0, 0x0, 0x1000, 0x3fffc000, 0xffff,
  0x3fffffff,
])

export const ONE: usize = memory.data<u32>([
  0x20, 0x0, 0x0, 0x1fffc000, 0x1fffffff, 0x1fffffff, 0x1f7fffff, 0x3ffffff, 0x0,
])

/** The constant b of y^2 = x^3 - 3x + b. */
export const B: usize = memory.data<u32>([
  0x1897bbfb, 0x1cdf6229, 0x18486c4, 0x1732821, 0x1dad59e0, 0xabf7212, 0x1a06d110, 0x17721d20, 0x8600c3,
])

/** 2^522 and 2^783 modulo the prime: multiplying by the first brings a value into Montgomery form,
 * by the second the inverse of a value in that form. */
export const SQUARED_RADIX: usize = memory.data<u32>([
  0xc00, 0x0, 0x1fff0000, 0x1fdfffff, 0x1fbfffff, 0x1fffffff, 0x1fffffff, 0x1ffffffe, 0x13,
])

export const CUBED_RADIX: usize = memory.data<u32>([
  0x50000, 0x1ff40000, 0x1effffff, 0xdffffff, 0x7ffffff, 0x1fffffff, 0xb, 0x10, 0xc00,
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
  let m0: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m0 * 0x1c632551) >> 29
  c += a0 * b1 + a1 * b0 + m0 * 0x1dce5617
  let m1: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m1 * 0x1c632551) >> 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + m0 * 0x5e7a13c + m1 * 0x1dce5617
  let m2: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m2 * 0x1c632551) >> 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + m0 * 0xdf55b4e + m1 * 0x5e7a13c + m2 * 0x1dce5617
  let m3: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m3 * 0x1c632551) >> 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + m0 * 0x1ffffbce + m1 * 0xdf55b4e + m2 * 0x5e7a13c + m3 * 0x1dce5617
  let m4: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m4 * 0x1c632551) >> 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + m0 * 0x1fffffff + m1 * 0x1ffffbce + m2 * 0xdf55b4e + m3 * 0x5e7a13c + m4 * 0x1dce5617
  let m5: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m5 * 0x1c632551) >> 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + m0 * 0x3ffff + m1 * 0x1fffffff + m2 * 0x1ffffbce + m3 * 0xdf55b4e + m4 * 0x5e7a13c + m5 * 0x1dce5617
  let m6: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m6 * 0x1c632551) >> 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + m0 * 0x1fe00000 + m1 * 0x3ffff + m2 * 0x1fffffff + m3 * 0x1ffffbce + m4 * 0xdf55b4e + m5 * 0x5e7a13c + m6 * 0x1dce5617
  let m7: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m7 * 0x1c632551) >> 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + m0 * 0xffffff + m1 * 0x1fe00000 + m2 * 0x3ffff + m3 * 0x1fffffff + m4 * 0x1ffffbce + m5 * 0xdf55b4e + m6 * 0x5e7a13c + m7 * 0x1dce5617
  let m8: u64 = (c * 0xe00bc4f) & 0x1fffffff
  c = (c + m8 * 0x1c632551) >> 29
  c += a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + m1 * 0xffffff + m2 * 0x1fe00000 + m3 * 0x3ffff + m4 * 0x1fffffff + m5 * 0x1ffffbce + m6 * 0xdf55b4e + m7 * 0x5e7a13c + m8 * 0x1dce5617
  store<u32>(out, c & 0x1fffffff, 0)
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + m2 * 0xffffff + m3 * 0x1fe00000 + m4 * 0x3ffff + m5 * 0x1fffffff + m6 * 0x1ffffbce + m7 * 0xdf55b4e + m8 * 0x5e7a13c
  store<u32>(out, c & 0x1fffffff, 4)
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + m3 * 0xffffff + m4 * 0x1fe00000 + m5 * 0x3ffff + m6 * 0x1fffffff + m7 * 0x1ffffbce + m8 * 0xdf55b4e
  store<u32>(out, c & 0x1fffffff, 8)
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + m4 * 0xffffff + m5 * 0x1fe00000 + m6 * 0x3ffff + m7 * 0x1fffffff + m8 * 0x1ffffbce
  store<u32>(out, c & 0x1fffffff, 12)
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + m5 * 0xffffff + m6 * 0x1fe00000 + m7 * 0x3ffff + m8 * 0x1fffffff
  store<u32>(out, c & 0x1fffffff, 16)
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6 + m6 * 0xffffff + m7 * 0x1fe00000 + m8 * 0x3ffff
  store<u32>(out, c & 0x1fffffff, 20)
  c >>= 29
  c += a7 * b8 + a8 * b7 + m7 * 0xffffff + m8 * 0x1fe00000
  store<u32>(out, c & 0x1fffffff, 24)
  c >>= 29
  c += a8 * b8 + m8 * 0xffffff
  store<u32>(out, c & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, c, 32)
}

export const ORDER: usize = memory.data<u32>([
  0x1c632551, 0x1dce5617, 0x5e7a13c, 0xdf55b4e, 0x1ffffbce, 0x1fffffff, 0x3ffff, 0x1fe00000, 0xffffff,
])

export const ORDER_INVERSE: usize = memory.data<u32>([
  0x3c632551, 0xee72b0b, 0x3179e84f, 0x39beab69, 0x3fffffbc, 0x3fffffff, 0xfff, 0x3fffc000, 0xffff,
  0x11ff43b1,
])

/** 2^522 modulo the order. */
export const ORDER_SQUARED_RADIX: usize = memory.data<u32>([
  0x148d9ef5, 0xf4e7f75, 0x14c6a651, 0x3f8b765, 0x165861f1, 0x1256d7d8, 0x1c185b23, 0xd4cab0f, 0x84b655,
])
