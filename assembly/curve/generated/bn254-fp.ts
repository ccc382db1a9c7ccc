// Written by tools/generate-curves.ts; do not edit.
//
// Fp of BN254: values are in Montgomery form (times 2^261), carried and below twice the prime.

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
  let m0: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m0 * 0x187cfd47) >> 29
  c += a0 * b1 + a1 * b0 + m0 * 0x10460b6
  let m1: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m1 * 0x187cfd47) >> 29
  c += a0 * b2 + a1 * b1 + a2 * b0 + m0 * 0x1c72a34f + m1 * 0x10460b6
  let m2: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m2 * 0x187cfd47) >> 29
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + m0 * 0x2d522d0 + m1 * 0x1c72a34f + m2 * 0x10460b6
  let m3: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m3 * 0x187cfd47) >> 29
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + m0 * 0x1585d978 + m1 * 0x2d522d0 + m2 * 0x1c72a34f + m3 * 0x10460b6
  let m4: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m4 * 0x187cfd47) >> 29
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + m0 * 0x2db40c0 + m1 * 0x1585d978 + m2 * 0x2d522d0 + m3 * 0x1c72a34f + m4 * 0x10460b6
  let m5: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m5 * 0x187cfd47) >> 29
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + m0 * 0xa6e141 + m1 * 0x2db40c0 + m2 * 0x1585d978 + m3 * 0x2d522d0 + m4 * 0x1c72a34f + m5 * 0x10460b6
  let m6: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m6 * 0x187cfd47) >> 29
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + m0 * 0xe5c2634 + m1 * 0xa6e141 + m2 * 0x2db40c0 + m3 * 0x1585d978 + m4 * 0x2d522d0 + m5 * 0x1c72a34f + m6 * 0x10460b6
  let m7: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m7 * 0x187cfd47) >> 29
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + m0 * 0x30644e + m1 * 0xe5c2634 + m2 * 0xa6e141 + m3 * 0x2db40c0 + m4 * 0x1585d978 + m5 * 0x2d522d0 + m6 * 0x1c72a34f + m7 * 0x10460b6
  let m8: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m8 * 0x187cfd47) >> 29
  c += a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + m1 * 0x30644e + m2 * 0xe5c2634 + m3 * 0xa6e141 + m4 * 0x2db40c0 + m5 * 0x1585d978 + m6 * 0x2d522d0 + m7 * 0x1c72a34f + m8 * 0x10460b6
  store<u32>(out, c & 0x1fffffff, 0)
  c >>= 29
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + m2 * 0x30644e + m3 * 0xe5c2634 + m4 * 0xa6e141 + m5 * 0x2db40c0 + m6 * 0x1585d978 + m7 * 0x2d522d0 + m8 * 0x1c72a34f
  store<u32>(out, c & 0x1fffffff, 4)
  c >>= 29
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + m3 * 0x30644e + m4 * 0xe5c2634 + m5 * 0xa6e141 + m6 * 0x2db40c0 + m7 * 0x1585d978 + m8 * 0x2d522d0
  store<u32>(out, c & 0x1fffffff, 8)
  c >>= 29
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + m4 * 0x30644e + m5 * 0xe5c2634 + m6 * 0xa6e141 + m7 * 0x2db40c0 + m8 * 0x1585d978
  store<u32>(out, c & 0x1fffffff, 12)
  c >>= 29
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + m5 * 0x30644e + m6 * 0xe5c2634 + m7 * 0xa6e141 + m8 * 0x2db40c0
  store<u32>(out, c & 0x1fffffff, 16)
  c >>= 29
  c += a6 * b8 + a7 * b7 + a8 * b6 + m6 * 0x30644e + m7 * 0xe5c2634 + m8 * 0xa6e141
  store<u32>(out, c & 0x1fffffff, 20)
  c >>= 29
  c += a7 * b8 + a8 * b7 + m7 * 0x30644e + m8 * 0xe5c2634
  store<u32>(out, c & 0x1fffffff, 24)
  c >>= 29
  c += a8 * b8 + m8 * 0x30644e
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
  let m0: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m0 * 0x187cfd47) >> 29
  c += ((a0 * a1) << 1) + m0 * 0x10460b6
  let m1: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m1 * 0x187cfd47) >> 29
  c += a1 * a1 + ((a0 * a2) << 1) + m0 * 0x1c72a34f + m1 * 0x10460b6
  let m2: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m2 * 0x187cfd47) >> 29
  c += ((a0 * a3 + a1 * a2) << 1) + m0 * 0x2d522d0 + m1 * 0x1c72a34f + m2 * 0x10460b6
  let m3: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m3 * 0x187cfd47) >> 29
  c += a2 * a2 + ((a0 * a4 + a1 * a3) << 1) + m0 * 0x1585d978 + m1 * 0x2d522d0 + m2 * 0x1c72a34f + m3 * 0x10460b6
  let m4: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m4 * 0x187cfd47) >> 29
  c += ((a0 * a5 + a1 * a4 + a2 * a3) << 1) + m0 * 0x2db40c0 + m1 * 0x1585d978 + m2 * 0x2d522d0 + m3 * 0x1c72a34f + m4 * 0x10460b6
  let m5: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m5 * 0x187cfd47) >> 29
  c += a3 * a3 + ((a0 * a6 + a1 * a5 + a2 * a4) << 1) + m0 * 0xa6e141 + m1 * 0x2db40c0 + m2 * 0x1585d978 + m3 * 0x2d522d0 + m4 * 0x1c72a34f + m5 * 0x10460b6
  let m6: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m6 * 0x187cfd47) >> 29
  c += ((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1) + m0 * 0xe5c2634 + m1 * 0xa6e141 + m2 * 0x2db40c0 + m3 * 0x1585d978 + m4 * 0x2d522d0 + m5 * 0x1c72a34f + m6 * 0x10460b6
  let m7: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m7 * 0x187cfd47) >> 29
  c += a4 * a4 + ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1) + m0 * 0x30644e + m1 * 0xe5c2634 + m2 * 0xa6e141 + m3 * 0x2db40c0 + m4 * 0x1585d978 + m5 * 0x2d522d0 + m6 * 0x1c72a34f + m7 * 0x10460b6
  let m8: u64 = (c * 0x4866389) & 0x1fffffff
  c = (c + m8 * 0x187cfd47) >> 29
  c += ((a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1) + m1 * 0x30644e + m2 * 0xe5c2634 + m3 * 0xa6e141 + m4 * 0x2db40c0 + m5 * 0x1585d978 + m6 * 0x2d522d0 + m7 * 0x1c72a34f + m8 * 0x10460b6
  store<u32>(out, c & 0x1fffffff, 0)
  c >>= 29
  c += a5 * a5 + ((a2 * a8 + a3 * a7 + a4 * a6) << 1) + m2 * 0x30644e + m3 * 0xe5c2634 + m4 * 0xa6e141 + m5 * 0x2db40c0 + m6 * 0x1585d978 + m7 * 0x2d522d0 + m8 * 0x1c72a34f
  store<u32>(out, c & 0x1fffffff, 4)
  c >>= 29
  c += ((a3 * a8 + a4 * a7 + a5 * a6) << 1) + m3 * 0x30644e + m4 * 0xe5c2634 + m5 * 0xa6e141 + m6 * 0x2db40c0 + m7 * 0x1585d978 + m8 * 0x2d522d0
  store<u32>(out, c & 0x1fffffff, 8)
  c >>= 29
  c += a6 * a6 + ((a4 * a8 + a5 * a7) << 1) + m4 * 0x30644e + m5 * 0xe5c2634 + m6 * 0xa6e141 + m7 * 0x2db40c0 + m8 * 0x1585d978
  store<u32>(out, c & 0x1fffffff, 12)
  c >>= 29
  c += ((a5 * a8 + a6 * a7) << 1) + m5 * 0x30644e + m6 * 0xe5c2634 + m7 * 0xa6e141 + m8 * 0x2db40c0
  store<u32>(out, c & 0x1fffffff, 16)
  c >>= 29
  c += a7 * a7 + ((a6 * a8) << 1) + m6 * 0x30644e + m7 * 0xe5c2634 + m8 * 0xa6e141
  store<u32>(out, c & 0x1fffffff, 20)
  c >>= 29
  c += ((a7 * a8) << 1) + m7 * 0x30644e + m8 * 0xe5c2634
  store<u32>(out, c & 0x1fffffff, 24)
  c >>= 29
  c += a8 * a8 + m8 * 0x30644e
  store<u32>(out, c & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, c, 32)
}

/** out = a + b. */
export function add(out: usize, a: usize, b: usize): void {
  let top: i64 = (load<u32>(a, 32) as i64) + (load<u32>(b, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += (load<u32>(a, 0) as i64) + (load<u32>(b, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += (load<u32>(a, 4) as i64) + (load<u32>(b, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += (load<u32>(a, 8) as i64) + (load<u32>(b, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += (load<u32>(a, 12) as i64) + (load<u32>(b, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += (load<u32>(a, 16) as i64) + (load<u32>(b, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += (load<u32>(a, 20) as i64) + (load<u32>(b, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += (load<u32>(a, 24) as i64) + (load<u32>(b, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += (load<u32>(a, 28) as i64) + (load<u32>(b, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

/** out = a - b. */
export function subtract(out: usize, a: usize, b: usize): void {
  let top: i64 = 0x912cea + (load<u32>(a, 32) as i64) - (load<u32>(b, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += 0x2976f7d5 + (load<u32>(a, 0) as i64) - (load<u32>(b, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x230d2223 + (load<u32>(a, 4) as i64) - (load<u32>(b, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x3557e9ec + (load<u32>(a, 8) as i64) - (load<u32>(b, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x287f6871 + (load<u32>(a, 12) as i64) - (load<u32>(b, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0x20918c67 + (load<u32>(a, 16) as i64) - (load<u32>(b, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0x2891c241 + (load<u32>(a, 20) as i64) - (load<u32>(b, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x21f4a3c2 + (load<u32>(a, 24) as i64) - (load<u32>(b, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x2b14729b + (load<u32>(a, 28) as i64) - (load<u32>(b, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

/** out = a - 2 * b. */
export function subtractTwice(out: usize, a: usize, b: usize): void {
  let top: i64 = 0xf1f586 + (load<u32>(a, 32) as i64) - 2 * (load<u32>(b, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += 0x5a70f263 + (load<u32>(a, 0) as i64) - 2 * (load<u32>(b, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x4515e38f + (load<u32>(a, 4) as i64) - 2 * (load<u32>(b, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x4e3d3089 + (load<u32>(a, 8) as i64) - 2 * (load<u32>(b, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x4e29ae12 + (load<u32>(a, 12) as i64) - 2 * (load<u32>(b, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0x4b9d3f56 + (load<u32>(a, 16) as i64) - 2 * (load<u32>(b, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0x4e4843c1 + (load<u32>(a, 20) as i64) - 2 * (load<u32>(b, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x43426643 + (load<u32>(a, 24) as i64) - 2 * (load<u32>(b, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x47ccbf02 + (load<u32>(a, 28) as i64) - 2 * (load<u32>(b, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

/** out = a - 8 * b. */
export function subtractEight(out: usize, a: usize, b: usize): void {
  let top: i64 = 0x336a92d + (load<u32>(a, 32) as i64) - 8 * (load<u32>(b, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += 0x1004cd1b7 + (load<u32>(a, 0) as i64) - 8 * (load<u32>(b, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x1114a6c1b + (load<u32>(a, 4) as i64) - 8 * (load<u32>(b, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x1039cd837 + (load<u32>(a, 8) as i64) - 8 * (load<u32>(b, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x110274fd7 + (load<u32>(a, 12) as i64) - 8 * (load<u32>(b, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0x10de370f1 + (load<u32>(a, 16) as i64) - 8 * (load<u32>(b, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0x1108f4cc3 + (load<u32>(a, 20) as i64) - 8 * (load<u32>(b, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x10b14f54a + (load<u32>(a, 24) as i64) - 8 * (load<u32>(b, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x1141e896c + (load<u32>(a, 28) as i64) - 8 * (load<u32>(b, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

/** out = -a. */
export function negate(out: usize, a: usize): void {
  let top: i64 = 0x912cea + - (load<u32>(a, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += 0x2976f7d5 + - (load<u32>(a, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 0x230d2223 + - (load<u32>(a, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 0x3557e9ec + - (load<u32>(a, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 0x287f6871 + - (load<u32>(a, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 0x20918c67 + - (load<u32>(a, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 0x2891c241 + - (load<u32>(a, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 0x21f4a3c2 + - (load<u32>(a, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 0x2b14729b + - (load<u32>(a, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

/** out = 2 * a. */
export function twice(out: usize, a: usize): void {
  let top: i64 = 2 * (load<u32>(a, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += 2 * (load<u32>(a, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 2 * (load<u32>(a, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 2 * (load<u32>(a, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 2 * (load<u32>(a, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 2 * (load<u32>(a, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 2 * (load<u32>(a, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 2 * (load<u32>(a, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 2 * (load<u32>(a, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

/** out = 3 * a. */
export function thrice(out: usize, a: usize): void {
  let top: i64 = 3 * (load<u32>(a, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += 3 * (load<u32>(a, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 3 * (load<u32>(a, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 3 * (load<u32>(a, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 3 * (load<u32>(a, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 3 * (load<u32>(a, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 3 * (load<u32>(a, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 3 * (load<u32>(a, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 3 * (load<u32>(a, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

/** out = 4 * a. */
export function quadruple(out: usize, a: usize): void {
  let top: i64 = 4 * (load<u32>(a, 32) as i64)
  const q = (top * 0x54a47) >> 40
  let c: i64 = 0
  c += 4 * (load<u32>(a, 0) as i64) - q * 0x187cfd47
  store<u32>(out, (c as u32) & 0x1fffffff, 0)
  c >>= 29
  c += 4 * (load<u32>(a, 4) as i64) - q * 0x10460b6
  store<u32>(out, (c as u32) & 0x1fffffff, 4)
  c >>= 29
  c += 4 * (load<u32>(a, 8) as i64) - q * 0x1c72a34f
  store<u32>(out, (c as u32) & 0x1fffffff, 8)
  c >>= 29
  c += 4 * (load<u32>(a, 12) as i64) - q * 0x2d522d0
  store<u32>(out, (c as u32) & 0x1fffffff, 12)
  c >>= 29
  c += 4 * (load<u32>(a, 16) as i64) - q * 0x1585d978
  store<u32>(out, (c as u32) & 0x1fffffff, 16)
  c >>= 29
  c += 4 * (load<u32>(a, 20) as i64) - q * 0x2db40c0
  store<u32>(out, (c as u32) & 0x1fffffff, 20)
  c >>= 29
  c += 4 * (load<u32>(a, 24) as i64) - q * 0xa6e141
  store<u32>(out, (c as u32) & 0x1fffffff, 24)
  c >>= 29
  c += 4 * (load<u32>(a, 28) as i64) - q * 0xe5c2634
  store<u32>(out, (c as u32) & 0x1fffffff, 28)
  c >>= 29
  store<u32>(out, (top + c - q * 0x30644e) as u32, 32)
}

export const PRIME: usize = memory.data<u32>([
  0x187cfd47, 0x10460b6, 0x1c72a34f, 0x2d522d0, 0x1585d978, 0x2db40c0, 0xa6e141, 0xe5c2634, 0x30644e,
])

export const PRIME_INVERSE: usize = memory.data<u32>([
  0x187cfd47, 0x3082305b, 0x71ca8d3, 0x205aa45a, 0x1585d97, 0x116da06, 0x1a029b85, 0x139cb84c, 0x3064,
  0x1b799c77,
])

export const ONE: usize = memory.data<u32>([
  0x157ccc21, 0x141c2758, 0x185230d3, 0x14c0419, 0xaa36fb9, 0x1d4240ce, 0x11d54c07, 0x52ac7a8, 0xdc836,
])

/** The constant of y^2 = x^3 + 3. */
export const B: usize = memory.data<u32>([
  0x766463, 0x1c54760a, 0x8f6927a, 0x3e40c4d, 0x1fea4f2b, 0x17c6c26a, 0x157fe417, 0xf8056f9, 0x2958a2,
])

/** A cube root of one: (x, y) -> (BETA * x, y) multiplies a point by a cube root of one modulo
 * the order. */
export const BETA: usize = memory.data<u32>([
  0x18ccb791, 0x175b1c3a, 0xb83d6e2, 0xe8ed071, 0x1282bee2, 0x4220e84, 0x1fe4017f, 0x15084d4a, 0x169119,
])

/** 2^522 and 2^783 modulo the prime: multiplying by the first brings a value into Montgomery form,
 * by the second the inverse of a value in that form. */
export const SQUARED_RADIX: usize = memory.data<u32>([
  0x59bac10, 0xd1503a3, 0x18016b8, 0x10ab0ca8, 0x2632639, 0x2c0169f, 0x169bfd53, 0x11869d4c, 0x2a11a6,
])

export const CUBED_RADIX: usize = memory.data<u32>([
  0xe2312b2, 0x16c05ca2, 0xbc84389, 0x1cdf310b, 0x11adafdd, 0x32e568e, 0x1d6ae48c, 0x10d4cd1f, 0x26c2d2,
])
