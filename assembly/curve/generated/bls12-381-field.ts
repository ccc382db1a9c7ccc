// Written by tools/generate-bls12-381.ts; do not edit.
//
// Values are in Montgomery form (times 2^392) and signed. The size of an operand is counted in
// halves of 2^27: the result of a product or `reduce` has one, a sum or difference the sum of both.

/** out = a * b in Fp; sizes: at most 32 halves as a product. */
export function multiplyFp(out: usize, a: usize, b: usize): void {
  const a0: i64 = load<i32>(a, 0)
  const a1: i64 = load<i32>(a, 8)
  const a2: i64 = load<i32>(a, 16)
  const a3: i64 = load<i32>(a, 24)
  const a4: i64 = load<i32>(a, 32)
  const a5: i64 = load<i32>(a, 40)
  const a6: i64 = load<i32>(a, 48)
  const a7: i64 = load<i32>(a, 56)
  const a8: i64 = load<i32>(a, 64)
  const a9: i64 = load<i32>(a, 72)
  const a10: i64 = load<i32>(a, 80)
  const a11: i64 = load<i32>(a, 88)
  const a12: i64 = load<i32>(a, 96)
  const a13: i64 = load<i32>(a, 104)
  const b0: i64 = load<i32>(b, 0)
  const b1: i64 = load<i32>(b, 8)
  const b2: i64 = load<i32>(b, 16)
  const b3: i64 = load<i32>(b, 24)
  const b4: i64 = load<i32>(b, 32)
  const b5: i64 = load<i32>(b, 40)
  const b6: i64 = load<i32>(b, 48)
  const b7: i64 = load<i32>(b, 56)
  const b8: i64 = load<i32>(b, 64)
  const b9: i64 = load<i32>(b, 72)
  const b10: i64 = load<i32>(b, 80)
  const b11: i64 = load<i32>(b, 88)
  const b12: i64 = load<i32>(b, 96)
  const b13: i64 = load<i32>(b, 104)
  let c: i64 = 0
  c += a0 * b0
  const m0: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m0 * -21845) >> 28
  c += a0 * b1 + a1 * b0 + m0 * -1048576
  const m1: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m1 * -21845) >> 28
  c += a0 * b2 + a1 * b1 + a2 * b0 + m0 * 67108794 + m1 * -1048576
  const m2: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m2 * -21845) >> 28
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + m0 * -5355 + m1 * 67108794 + m2 * -1048576
  const m3: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m3 * -21845) >> 28
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + m0 * 103030444 + m1 * -5355 + m2 * 67108794 + m3 * -1048576
  const m4: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m4 * -21845) >> 28
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + m0 * -99652849 + m1 * 103030444 + m2 * -5355 + m3 * 67108794 + m4 * -1048576
  const m5: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m5 * -21845) >> 28
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + m0 * -10014509 + m1 * -99652849 + m2 * 103030444 + m3 * -5355 + m4 * 67108794 + m5 * -1048576
  const m6: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m6 * -21845) >> 28
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + m0 * -13086420 + m1 * -10014509 + m2 * -99652849 + m3 * 103030444 + m4 * -5355 + m5 * 67108794 + m6 * -1048576
  const m7: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m7 * -21845) >> 28
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + m0 * 74926981 + m1 * -13086420 + m2 * -10014509 + m3 * -99652849 + m4 * 103030444 + m5 * -5355 + m6 * 67108794 + m7 * -1048576
  const m8: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m8 * -21845) >> 28
  c += a0 * b9 + a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + a9 * b0 + m0 * 79351158 + m1 * 74926981 + m2 * -13086420 + m3 * -10014509 + m4 * -99652849 + m5 * 103030444 + m6 * -5355 + m7 * 67108794 + m8 * -1048576
  const m9: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m9 * -21845) >> 28
  c += a0 * b10 + a1 * b9 + a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + a9 * b1 + a10 * b0 + m0 * -72894909 + m1 * 79351158 + m2 * 74926981 + m3 * -13086420 + m4 * -10014509 + m5 * -99652849 + m6 * 103030444 + m7 * -5355 + m8 * 67108794 + m9 * -1048576
  const m10: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m10 * -21845) >> 28
  c += a0 * b11 + a1 * b10 + a2 * b9 + a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + a9 * b2 + a10 * b1 + a11 * b0 + m0 * -26630990 + m1 * -72894909 + m2 * 79351158 + m3 * 74926981 + m4 * -13086420 + m5 * -10014509 + m6 * -99652849 + m7 * 103030444 + m8 * -5355 + m9 * 67108794 + m10 * -1048576
  const m11: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m11 * -21845) >> 28
  c += a0 * b12 + a1 * b11 + a2 * b10 + a3 * b9 + a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + a9 * b3 + a10 * b2 + a11 * b1 + a12 * b0 + m0 * 32127360 + m1 * -26630990 + m2 * -72894909 + m3 * 79351158 + m4 * 74926981 + m5 * -13086420 + m6 * -10014509 + m7 * -99652849 + m8 * 103030444 + m9 * -5355 + m10 * 67108794 + m11 * -1048576
  const m12: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m12 * -21845) >> 28
  c += a0 * b13 + a1 * b12 + a2 * b11 + a3 * b10 + a4 * b9 + a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + a9 * b4 + a10 * b3 + a11 * b2 + a12 * b1 + a13 * b0 + m0 * 106513 + m1 * 32127360 + m2 * -26630990 + m3 * -72894909 + m4 * 79351158 + m5 * 74926981 + m6 * -13086420 + m7 * -10014509 + m8 * -99652849 + m9 * 103030444 + m10 * -5355 + m11 * 67108794 + m12 * -1048576
  const m13: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m13 * -21845) >> 28
  c += a1 * b13 + a2 * b12 + a3 * b11 + a4 * b10 + a5 * b9 + a6 * b8 + a7 * b7 + a8 * b6 + a9 * b5 + a10 * b4 + a11 * b3 + a12 * b2 + a13 * b1 + m1 * 106513 + m2 * 32127360 + m3 * -26630990 + m4 * -72894909 + m5 * 79351158 + m6 * 74926981 + m7 * -13086420 + m8 * -10014509 + m9 * -99652849 + m10 * 103030444 + m11 * -5355 + m12 * 67108794 + m13 * -1048576
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 0)
  c >>= 28
  c += a2 * b13 + a3 * b12 + a4 * b11 + a5 * b10 + a6 * b9 + a7 * b8 + a8 * b7 + a9 * b6 + a10 * b5 + a11 * b4 + a12 * b3 + a13 * b2 + m2 * 106513 + m3 * 32127360 + m4 * -26630990 + m5 * -72894909 + m6 * 79351158 + m7 * 74926981 + m8 * -13086420 + m9 * -10014509 + m10 * -99652849 + m11 * 103030444 + m12 * -5355 + m13 * 67108794
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 8)
  c >>= 28
  c += a3 * b13 + a4 * b12 + a5 * b11 + a6 * b10 + a7 * b9 + a8 * b8 + a9 * b7 + a10 * b6 + a11 * b5 + a12 * b4 + a13 * b3 + m3 * 106513 + m4 * 32127360 + m5 * -26630990 + m6 * -72894909 + m7 * 79351158 + m8 * 74926981 + m9 * -13086420 + m10 * -10014509 + m11 * -99652849 + m12 * 103030444 + m13 * -5355
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 16)
  c >>= 28
  c += a4 * b13 + a5 * b12 + a6 * b11 + a7 * b10 + a8 * b9 + a9 * b8 + a10 * b7 + a11 * b6 + a12 * b5 + a13 * b4 + m4 * 106513 + m5 * 32127360 + m6 * -26630990 + m7 * -72894909 + m8 * 79351158 + m9 * 74926981 + m10 * -13086420 + m11 * -10014509 + m12 * -99652849 + m13 * 103030444
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 24)
  c >>= 28
  c += a5 * b13 + a6 * b12 + a7 * b11 + a8 * b10 + a9 * b9 + a10 * b8 + a11 * b7 + a12 * b6 + a13 * b5 + m5 * 106513 + m6 * 32127360 + m7 * -26630990 + m8 * -72894909 + m9 * 79351158 + m10 * 74926981 + m11 * -13086420 + m12 * -10014509 + m13 * -99652849
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 32)
  c >>= 28
  c += a6 * b13 + a7 * b12 + a8 * b11 + a9 * b10 + a10 * b9 + a11 * b8 + a12 * b7 + a13 * b6 + m6 * 106513 + m7 * 32127360 + m8 * -26630990 + m9 * -72894909 + m10 * 79351158 + m11 * 74926981 + m12 * -13086420 + m13 * -10014509
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 40)
  c >>= 28
  c += a7 * b13 + a8 * b12 + a9 * b11 + a10 * b10 + a11 * b9 + a12 * b8 + a13 * b7 + m7 * 106513 + m8 * 32127360 + m9 * -26630990 + m10 * -72894909 + m11 * 79351158 + m12 * 74926981 + m13 * -13086420
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 48)
  c >>= 28
  c += a8 * b13 + a9 * b12 + a10 * b11 + a11 * b10 + a12 * b9 + a13 * b8 + m8 * 106513 + m9 * 32127360 + m10 * -26630990 + m11 * -72894909 + m12 * 79351158 + m13 * 74926981
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 56)
  c >>= 28
  c += a9 * b13 + a10 * b12 + a11 * b11 + a12 * b10 + a13 * b9 + m9 * 106513 + m10 * 32127360 + m11 * -26630990 + m12 * -72894909 + m13 * 79351158
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 64)
  c >>= 28
  c += a10 * b13 + a11 * b12 + a12 * b11 + a13 * b10 + m10 * 106513 + m11 * 32127360 + m12 * -26630990 + m13 * -72894909
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 72)
  c >>= 28
  c += a11 * b13 + a12 * b12 + a13 * b11 + m11 * 106513 + m12 * 32127360 + m13 * -26630990
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 80)
  c >>= 28
  c += a12 * b13 + a13 * b12 + m12 * 106513 + m13 * 32127360
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 88)
  c >>= 28
  c += a13 * b13 + m13 * 106513
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 96)
  c >>= 28
  store<i32>(out, c as i32, 104)
}

/** out = a^2 in Fp; at most five halves. */
export function squareFp(out: usize, a: usize): void {
  const a0: i64 = load<i32>(a, 0)
  const a1: i64 = load<i32>(a, 8)
  const a2: i64 = load<i32>(a, 16)
  const a3: i64 = load<i32>(a, 24)
  const a4: i64 = load<i32>(a, 32)
  const a5: i64 = load<i32>(a, 40)
  const a6: i64 = load<i32>(a, 48)
  const a7: i64 = load<i32>(a, 56)
  const a8: i64 = load<i32>(a, 64)
  const a9: i64 = load<i32>(a, 72)
  const a10: i64 = load<i32>(a, 80)
  const a11: i64 = load<i32>(a, 88)
  const a12: i64 = load<i32>(a, 96)
  const a13: i64 = load<i32>(a, 104)
  let c: i64 = 0
  c += a0 * a0
  const m0: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m0 * -21845) >> 28
  c += ((a0 * a1) << 1) + m0 * -1048576
  const m1: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m1 * -21845) >> 28
  c += ((a0 * a2) << 1) + a1 * a1 + m0 * 67108794 + m1 * -1048576
  const m2: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m2 * -21845) >> 28
  c += ((a0 * a3 + a1 * a2) << 1) + m0 * -5355 + m1 * 67108794 + m2 * -1048576
  const m3: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m3 * -21845) >> 28
  c += ((a0 * a4 + a1 * a3) << 1) + a2 * a2 + m0 * 103030444 + m1 * -5355 + m2 * 67108794 + m3 * -1048576
  const m4: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m4 * -21845) >> 28
  c += ((a0 * a5 + a1 * a4 + a2 * a3) << 1) + m0 * -99652849 + m1 * 103030444 + m2 * -5355 + m3 * 67108794 + m4 * -1048576
  const m5: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m5 * -21845) >> 28
  c += ((a0 * a6 + a1 * a5 + a2 * a4) << 1) + a3 * a3 + m0 * -10014509 + m1 * -99652849 + m2 * 103030444 + m3 * -5355 + m4 * 67108794 + m5 * -1048576
  const m6: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m6 * -21845) >> 28
  c += ((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1) + m0 * -13086420 + m1 * -10014509 + m2 * -99652849 + m3 * 103030444 + m4 * -5355 + m5 * 67108794 + m6 * -1048576
  const m7: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m7 * -21845) >> 28
  c += ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1) + a4 * a4 + m0 * 74926981 + m1 * -13086420 + m2 * -10014509 + m3 * -99652849 + m4 * 103030444 + m5 * -5355 + m6 * 67108794 + m7 * -1048576
  const m8: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m8 * -21845) >> 28
  c += ((a0 * a9 + a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1) + m0 * 79351158 + m1 * 74926981 + m2 * -13086420 + m3 * -10014509 + m4 * -99652849 + m5 * 103030444 + m6 * -5355 + m7 * 67108794 + m8 * -1048576
  const m9: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m9 * -21845) >> 28
  c += ((a0 * a10 + a1 * a9 + a2 * a8 + a3 * a7 + a4 * a6) << 1) + a5 * a5 + m0 * -72894909 + m1 * 79351158 + m2 * 74926981 + m3 * -13086420 + m4 * -10014509 + m5 * -99652849 + m6 * 103030444 + m7 * -5355 + m8 * 67108794 + m9 * -1048576
  const m10: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m10 * -21845) >> 28
  c += ((a0 * a11 + a1 * a10 + a2 * a9 + a3 * a8 + a4 * a7 + a5 * a6) << 1) + m0 * -26630990 + m1 * -72894909 + m2 * 79351158 + m3 * 74926981 + m4 * -13086420 + m5 * -10014509 + m6 * -99652849 + m7 * 103030444 + m8 * -5355 + m9 * 67108794 + m10 * -1048576
  const m11: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m11 * -21845) >> 28
  c += ((a0 * a12 + a1 * a11 + a2 * a10 + a3 * a9 + a4 * a8 + a5 * a7) << 1) + a6 * a6 + m0 * 32127360 + m1 * -26630990 + m2 * -72894909 + m3 * 79351158 + m4 * 74926981 + m5 * -13086420 + m6 * -10014509 + m7 * -99652849 + m8 * 103030444 + m9 * -5355 + m10 * 67108794 + m11 * -1048576
  const m12: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m12 * -21845) >> 28
  c += ((a0 * a13 + a1 * a12 + a2 * a11 + a3 * a10 + a4 * a9 + a5 * a8 + a6 * a7) << 1) + m0 * 106513 + m1 * 32127360 + m2 * -26630990 + m3 * -72894909 + m4 * 79351158 + m5 * 74926981 + m6 * -13086420 + m7 * -10014509 + m8 * -99652849 + m9 * 103030444 + m10 * -5355 + m11 * 67108794 + m12 * -1048576
  const m13: i64 = (c * 0xffcfffd) & 0xfffffff
  c = (c + m13 * -21845) >> 28
  c += ((a1 * a13 + a2 * a12 + a3 * a11 + a4 * a10 + a5 * a9 + a6 * a8) << 1) + a7 * a7 + m1 * 106513 + m2 * 32127360 + m3 * -26630990 + m4 * -72894909 + m5 * 79351158 + m6 * 74926981 + m7 * -13086420 + m8 * -10014509 + m9 * -99652849 + m10 * 103030444 + m11 * -5355 + m12 * 67108794 + m13 * -1048576
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 0)
  c >>= 28
  c += ((a2 * a13 + a3 * a12 + a4 * a11 + a5 * a10 + a6 * a9 + a7 * a8) << 1) + m2 * 106513 + m3 * 32127360 + m4 * -26630990 + m5 * -72894909 + m6 * 79351158 + m7 * 74926981 + m8 * -13086420 + m9 * -10014509 + m10 * -99652849 + m11 * 103030444 + m12 * -5355 + m13 * 67108794
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 8)
  c >>= 28
  c += ((a3 * a13 + a4 * a12 + a5 * a11 + a6 * a10 + a7 * a9) << 1) + a8 * a8 + m3 * 106513 + m4 * 32127360 + m5 * -26630990 + m6 * -72894909 + m7 * 79351158 + m8 * 74926981 + m9 * -13086420 + m10 * -10014509 + m11 * -99652849 + m12 * 103030444 + m13 * -5355
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 16)
  c >>= 28
  c += ((a4 * a13 + a5 * a12 + a6 * a11 + a7 * a10 + a8 * a9) << 1) + m4 * 106513 + m5 * 32127360 + m6 * -26630990 + m7 * -72894909 + m8 * 79351158 + m9 * 74926981 + m10 * -13086420 + m11 * -10014509 + m12 * -99652849 + m13 * 103030444
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 24)
  c >>= 28
  c += ((a5 * a13 + a6 * a12 + a7 * a11 + a8 * a10) << 1) + a9 * a9 + m5 * 106513 + m6 * 32127360 + m7 * -26630990 + m8 * -72894909 + m9 * 79351158 + m10 * 74926981 + m11 * -13086420 + m12 * -10014509 + m13 * -99652849
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 32)
  c >>= 28
  c += ((a6 * a13 + a7 * a12 + a8 * a11 + a9 * a10) << 1) + m6 * 106513 + m7 * 32127360 + m8 * -26630990 + m9 * -72894909 + m10 * 79351158 + m11 * 74926981 + m12 * -13086420 + m13 * -10014509
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 40)
  c >>= 28
  c += ((a7 * a13 + a8 * a12 + a9 * a11) << 1) + a10 * a10 + m7 * 106513 + m8 * 32127360 + m9 * -26630990 + m10 * -72894909 + m11 * 79351158 + m12 * 74926981 + m13 * -13086420
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 48)
  c >>= 28
  c += ((a8 * a13 + a9 * a12 + a10 * a11) << 1) + m8 * 106513 + m9 * 32127360 + m10 * -26630990 + m11 * -72894909 + m12 * 79351158 + m13 * 74926981
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 56)
  c >>= 28
  c += ((a9 * a13 + a10 * a12) << 1) + a11 * a11 + m9 * 106513 + m10 * 32127360 + m11 * -26630990 + m12 * -72894909 + m13 * 79351158
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 64)
  c >>= 28
  c += ((a10 * a13 + a11 * a12) << 1) + m10 * 106513 + m11 * 32127360 + m12 * -26630990 + m13 * -72894909
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 72)
  c >>= 28
  c += ((a11 * a13) << 1) + a12 * a12 + m11 * 106513 + m12 * 32127360 + m13 * -26630990
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 80)
  c >>= 28
  c += ((a12 * a13) << 1) + m12 * 106513 + m13 * 32127360
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 88)
  c >>= 28
  c += a13 * a13 + m13 * 106513
  c += 0x8000000
  store<i32>(out, ((c as i32) & 0xfffffff) - 0x8000000, 96)
  c >>= 28
  store<i32>(out, c as i32, 104)
}

/** out = a * b in Fp2; sizes: at most 16 halves as a product. */
export function multiplyFp2(out: usize, a: usize, b: usize): void {
  const re0: v128 = v128.load32_splat(a, 0)
  const im0: v128 = v128.load32_splat(a, 4)
  const b0: v128 = v128.load64_zero(b, 0)
  const t0: v128 = v128.shuffle<i32>(b0, i32x4.neg(b0), 5, 0, 5, 0)
  const re1: v128 = v128.load32_splat(a, 8)
  const im1: v128 = v128.load32_splat(a, 12)
  const b1: v128 = v128.load64_zero(b, 8)
  const t1: v128 = v128.shuffle<i32>(b1, i32x4.neg(b1), 5, 0, 5, 0)
  const re2: v128 = v128.load32_splat(a, 16)
  const im2: v128 = v128.load32_splat(a, 20)
  const b2: v128 = v128.load64_zero(b, 16)
  const t2: v128 = v128.shuffle<i32>(b2, i32x4.neg(b2), 5, 0, 5, 0)
  const re3: v128 = v128.load32_splat(a, 24)
  const im3: v128 = v128.load32_splat(a, 28)
  const b3: v128 = v128.load64_zero(b, 24)
  const t3: v128 = v128.shuffle<i32>(b3, i32x4.neg(b3), 5, 0, 5, 0)
  const re4: v128 = v128.load32_splat(a, 32)
  const im4: v128 = v128.load32_splat(a, 36)
  const b4: v128 = v128.load64_zero(b, 32)
  const t4: v128 = v128.shuffle<i32>(b4, i32x4.neg(b4), 5, 0, 5, 0)
  const re5: v128 = v128.load32_splat(a, 40)
  const im5: v128 = v128.load32_splat(a, 44)
  const b5: v128 = v128.load64_zero(b, 40)
  const t5: v128 = v128.shuffle<i32>(b5, i32x4.neg(b5), 5, 0, 5, 0)
  const re6: v128 = v128.load32_splat(a, 48)
  const im6: v128 = v128.load32_splat(a, 52)
  const b6: v128 = v128.load64_zero(b, 48)
  const t6: v128 = v128.shuffle<i32>(b6, i32x4.neg(b6), 5, 0, 5, 0)
  const re7: v128 = v128.load32_splat(a, 56)
  const im7: v128 = v128.load32_splat(a, 60)
  const b7: v128 = v128.load64_zero(b, 56)
  const t7: v128 = v128.shuffle<i32>(b7, i32x4.neg(b7), 5, 0, 5, 0)
  const re8: v128 = v128.load32_splat(a, 64)
  const im8: v128 = v128.load32_splat(a, 68)
  const b8: v128 = v128.load64_zero(b, 64)
  const t8: v128 = v128.shuffle<i32>(b8, i32x4.neg(b8), 5, 0, 5, 0)
  const re9: v128 = v128.load32_splat(a, 72)
  const im9: v128 = v128.load32_splat(a, 76)
  const b9: v128 = v128.load64_zero(b, 72)
  const t9: v128 = v128.shuffle<i32>(b9, i32x4.neg(b9), 5, 0, 5, 0)
  const re10: v128 = v128.load32_splat(a, 80)
  const im10: v128 = v128.load32_splat(a, 84)
  const b10: v128 = v128.load64_zero(b, 80)
  const t10: v128 = v128.shuffle<i32>(b10, i32x4.neg(b10), 5, 0, 5, 0)
  const re11: v128 = v128.load32_splat(a, 88)
  const im11: v128 = v128.load32_splat(a, 92)
  const b11: v128 = v128.load64_zero(b, 88)
  const t11: v128 = v128.shuffle<i32>(b11, i32x4.neg(b11), 5, 0, 5, 0)
  const re12: v128 = v128.load32_splat(a, 96)
  const im12: v128 = v128.load32_splat(a, 100)
  const b12: v128 = v128.load64_zero(b, 96)
  const t12: v128 = v128.shuffle<i32>(b12, i32x4.neg(b12), 5, 0, 5, 0)
  const re13: v128 = v128.load32_splat(a, 104)
  const im13: v128 = v128.load32_splat(a, 108)
  const b13: v128 = v128.load64_zero(b, 104)
  const t13: v128 = v128.shuffle<i32>(b13, i32x4.neg(b13), 5, 0, 5, 0)
  const low: v128 = i64x2.splat(0xfffffff)
  const half: v128 = i32x4.splat(0x8000000)
  const inverse: v128 = i32x4.splat(0xffcfffd)
  const offset: v128 = i64x2.splat(0x7ffffff800000000)
  const rounding: v128 = i64x2.splat(0x7ffffff808000000)
  let c: v128 = i64x2.splat(0x8000000000000000)
  const p0: v128 = i32x4.splat(-21845)
  const p1: v128 = i32x4.splat(-1048576)
  const p2: v128 = i32x4.splat(67108794)
  const p3: v128 = i32x4.splat(-5355)
  const p4: v128 = i32x4.splat(103030444)
  const p5: v128 = i32x4.splat(-99652849)
  const p6: v128 = i32x4.splat(-10014509)
  const p7: v128 = i32x4.splat(-13086420)
  const p8: v128 = i32x4.splat(74926981)
  const p9: v128 = i32x4.splat(79351158)
  const p10: v128 = i32x4.splat(-72894909)
  const p11: v128 = i32x4.splat(-26630990)
  const p12: v128 = i32x4.splat(32127360)
  const p13: v128 = i32x4.splat(106513)
  c = i64x2.add(c, i64x2.add(i64x2.extmul_low_i32x4_s(re0, b0), i64x2.extmul_low_i32x4_s(im0, t0)))
  const m0: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m0, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b1), i64x2.extmul_low_i32x4_s(im0, t1)), i64x2.extmul_low_i32x4_s(re1, b0)), i64x2.extmul_low_i32x4_s(im1, t0)), i64x2.extmul_low_i32x4_s(m0, p1)))
  c = i64x2.add(c, offset)
  const m1: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m1, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b2), i64x2.extmul_low_i32x4_s(im0, t2)), i64x2.extmul_low_i32x4_s(re1, b1)), i64x2.extmul_low_i32x4_s(im1, t1)), i64x2.extmul_low_i32x4_s(re2, b0)), i64x2.extmul_low_i32x4_s(im2, t0)), i64x2.extmul_low_i32x4_s(m0, p2)), i64x2.extmul_low_i32x4_s(m1, p1)))
  c = i64x2.add(c, offset)
  const m2: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m2, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b3), i64x2.extmul_low_i32x4_s(im0, t3)), i64x2.extmul_low_i32x4_s(re1, b2)), i64x2.extmul_low_i32x4_s(im1, t2)), i64x2.extmul_low_i32x4_s(re2, b1)), i64x2.extmul_low_i32x4_s(im2, t1)), i64x2.extmul_low_i32x4_s(re3, b0)), i64x2.extmul_low_i32x4_s(im3, t0)), i64x2.extmul_low_i32x4_s(m0, p3)), i64x2.extmul_low_i32x4_s(m1, p2)), i64x2.extmul_low_i32x4_s(m2, p1)))
  c = i64x2.add(c, offset)
  const m3: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m3, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b4), i64x2.extmul_low_i32x4_s(im0, t4)), i64x2.extmul_low_i32x4_s(re1, b3)), i64x2.extmul_low_i32x4_s(im1, t3)), i64x2.extmul_low_i32x4_s(re2, b2)), i64x2.extmul_low_i32x4_s(im2, t2)), i64x2.extmul_low_i32x4_s(re3, b1)), i64x2.extmul_low_i32x4_s(im3, t1)), i64x2.extmul_low_i32x4_s(re4, b0)), i64x2.extmul_low_i32x4_s(im4, t0)), i64x2.extmul_low_i32x4_s(m0, p4)), i64x2.extmul_low_i32x4_s(m1, p3)), i64x2.extmul_low_i32x4_s(m2, p2)), i64x2.extmul_low_i32x4_s(m3, p1)))
  c = i64x2.add(c, offset)
  const m4: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m4, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b5), i64x2.extmul_low_i32x4_s(im0, t5)), i64x2.extmul_low_i32x4_s(re1, b4)), i64x2.extmul_low_i32x4_s(im1, t4)), i64x2.extmul_low_i32x4_s(re2, b3)), i64x2.extmul_low_i32x4_s(im2, t3)), i64x2.extmul_low_i32x4_s(re3, b2)), i64x2.extmul_low_i32x4_s(im3, t2)), i64x2.extmul_low_i32x4_s(re4, b1)), i64x2.extmul_low_i32x4_s(im4, t1)), i64x2.extmul_low_i32x4_s(re5, b0)), i64x2.extmul_low_i32x4_s(im5, t0)), i64x2.extmul_low_i32x4_s(m0, p5)), i64x2.extmul_low_i32x4_s(m1, p4)), i64x2.extmul_low_i32x4_s(m2, p3)), i64x2.extmul_low_i32x4_s(m3, p2)), i64x2.extmul_low_i32x4_s(m4, p1)))
  c = i64x2.add(c, offset)
  const m5: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m5, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b6), i64x2.extmul_low_i32x4_s(im0, t6)), i64x2.extmul_low_i32x4_s(re1, b5)), i64x2.extmul_low_i32x4_s(im1, t5)), i64x2.extmul_low_i32x4_s(re2, b4)), i64x2.extmul_low_i32x4_s(im2, t4)), i64x2.extmul_low_i32x4_s(re3, b3)), i64x2.extmul_low_i32x4_s(im3, t3)), i64x2.extmul_low_i32x4_s(re4, b2)), i64x2.extmul_low_i32x4_s(im4, t2)), i64x2.extmul_low_i32x4_s(re5, b1)), i64x2.extmul_low_i32x4_s(im5, t1)), i64x2.extmul_low_i32x4_s(re6, b0)), i64x2.extmul_low_i32x4_s(im6, t0)), i64x2.extmul_low_i32x4_s(m0, p6)), i64x2.extmul_low_i32x4_s(m1, p5)), i64x2.extmul_low_i32x4_s(m2, p4)), i64x2.extmul_low_i32x4_s(m3, p3)), i64x2.extmul_low_i32x4_s(m4, p2)), i64x2.extmul_low_i32x4_s(m5, p1)))
  c = i64x2.add(c, offset)
  const m6: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m6, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b7), i64x2.extmul_low_i32x4_s(im0, t7)), i64x2.extmul_low_i32x4_s(re1, b6)), i64x2.extmul_low_i32x4_s(im1, t6)), i64x2.extmul_low_i32x4_s(re2, b5)), i64x2.extmul_low_i32x4_s(im2, t5)), i64x2.extmul_low_i32x4_s(re3, b4)), i64x2.extmul_low_i32x4_s(im3, t4)), i64x2.extmul_low_i32x4_s(re4, b3)), i64x2.extmul_low_i32x4_s(im4, t3)), i64x2.extmul_low_i32x4_s(re5, b2)), i64x2.extmul_low_i32x4_s(im5, t2)), i64x2.extmul_low_i32x4_s(re6, b1)), i64x2.extmul_low_i32x4_s(im6, t1)), i64x2.extmul_low_i32x4_s(re7, b0)), i64x2.extmul_low_i32x4_s(im7, t0)), i64x2.extmul_low_i32x4_s(m0, p7)), i64x2.extmul_low_i32x4_s(m1, p6)), i64x2.extmul_low_i32x4_s(m2, p5)), i64x2.extmul_low_i32x4_s(m3, p4)), i64x2.extmul_low_i32x4_s(m4, p3)), i64x2.extmul_low_i32x4_s(m5, p2)), i64x2.extmul_low_i32x4_s(m6, p1)))
  c = i64x2.add(c, offset)
  const m7: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m7, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b8), i64x2.extmul_low_i32x4_s(im0, t8)), i64x2.extmul_low_i32x4_s(re1, b7)), i64x2.extmul_low_i32x4_s(im1, t7)), i64x2.extmul_low_i32x4_s(re2, b6)), i64x2.extmul_low_i32x4_s(im2, t6)), i64x2.extmul_low_i32x4_s(re3, b5)), i64x2.extmul_low_i32x4_s(im3, t5)), i64x2.extmul_low_i32x4_s(re4, b4)), i64x2.extmul_low_i32x4_s(im4, t4)), i64x2.extmul_low_i32x4_s(re5, b3)), i64x2.extmul_low_i32x4_s(im5, t3)), i64x2.extmul_low_i32x4_s(re6, b2)), i64x2.extmul_low_i32x4_s(im6, t2)), i64x2.extmul_low_i32x4_s(re7, b1)), i64x2.extmul_low_i32x4_s(im7, t1)), i64x2.extmul_low_i32x4_s(re8, b0)), i64x2.extmul_low_i32x4_s(im8, t0)), i64x2.extmul_low_i32x4_s(m0, p8)), i64x2.extmul_low_i32x4_s(m1, p7)), i64x2.extmul_low_i32x4_s(m2, p6)), i64x2.extmul_low_i32x4_s(m3, p5)), i64x2.extmul_low_i32x4_s(m4, p4)), i64x2.extmul_low_i32x4_s(m5, p3)), i64x2.extmul_low_i32x4_s(m6, p2)), i64x2.extmul_low_i32x4_s(m7, p1)))
  c = i64x2.add(c, offset)
  const m8: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m8, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b9), i64x2.extmul_low_i32x4_s(im0, t9)), i64x2.extmul_low_i32x4_s(re1, b8)), i64x2.extmul_low_i32x4_s(im1, t8)), i64x2.extmul_low_i32x4_s(re2, b7)), i64x2.extmul_low_i32x4_s(im2, t7)), i64x2.extmul_low_i32x4_s(re3, b6)), i64x2.extmul_low_i32x4_s(im3, t6)), i64x2.extmul_low_i32x4_s(re4, b5)), i64x2.extmul_low_i32x4_s(im4, t5)), i64x2.extmul_low_i32x4_s(re5, b4)), i64x2.extmul_low_i32x4_s(im5, t4)), i64x2.extmul_low_i32x4_s(re6, b3)), i64x2.extmul_low_i32x4_s(im6, t3)), i64x2.extmul_low_i32x4_s(re7, b2)), i64x2.extmul_low_i32x4_s(im7, t2)), i64x2.extmul_low_i32x4_s(re8, b1)), i64x2.extmul_low_i32x4_s(im8, t1)), i64x2.extmul_low_i32x4_s(re9, b0)), i64x2.extmul_low_i32x4_s(im9, t0)), i64x2.extmul_low_i32x4_s(m0, p9)), i64x2.extmul_low_i32x4_s(m1, p8)), i64x2.extmul_low_i32x4_s(m2, p7)), i64x2.extmul_low_i32x4_s(m3, p6)), i64x2.extmul_low_i32x4_s(m4, p5)), i64x2.extmul_low_i32x4_s(m5, p4)), i64x2.extmul_low_i32x4_s(m6, p3)), i64x2.extmul_low_i32x4_s(m7, p2)), i64x2.extmul_low_i32x4_s(m8, p1)))
  c = i64x2.add(c, offset)
  const m9: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m9, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b10), i64x2.extmul_low_i32x4_s(im0, t10)), i64x2.extmul_low_i32x4_s(re1, b9)), i64x2.extmul_low_i32x4_s(im1, t9)), i64x2.extmul_low_i32x4_s(re2, b8)), i64x2.extmul_low_i32x4_s(im2, t8)), i64x2.extmul_low_i32x4_s(re3, b7)), i64x2.extmul_low_i32x4_s(im3, t7)), i64x2.extmul_low_i32x4_s(re4, b6)), i64x2.extmul_low_i32x4_s(im4, t6)), i64x2.extmul_low_i32x4_s(re5, b5)), i64x2.extmul_low_i32x4_s(im5, t5)), i64x2.extmul_low_i32x4_s(re6, b4)), i64x2.extmul_low_i32x4_s(im6, t4)), i64x2.extmul_low_i32x4_s(re7, b3)), i64x2.extmul_low_i32x4_s(im7, t3)), i64x2.extmul_low_i32x4_s(re8, b2)), i64x2.extmul_low_i32x4_s(im8, t2)), i64x2.extmul_low_i32x4_s(re9, b1)), i64x2.extmul_low_i32x4_s(im9, t1)), i64x2.extmul_low_i32x4_s(re10, b0)), i64x2.extmul_low_i32x4_s(im10, t0)), i64x2.extmul_low_i32x4_s(m0, p10)), i64x2.extmul_low_i32x4_s(m1, p9)), i64x2.extmul_low_i32x4_s(m2, p8)), i64x2.extmul_low_i32x4_s(m3, p7)), i64x2.extmul_low_i32x4_s(m4, p6)), i64x2.extmul_low_i32x4_s(m5, p5)), i64x2.extmul_low_i32x4_s(m6, p4)), i64x2.extmul_low_i32x4_s(m7, p3)), i64x2.extmul_low_i32x4_s(m8, p2)), i64x2.extmul_low_i32x4_s(m9, p1)))
  c = i64x2.add(c, offset)
  const m10: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m10, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b11), i64x2.extmul_low_i32x4_s(im0, t11)), i64x2.extmul_low_i32x4_s(re1, b10)), i64x2.extmul_low_i32x4_s(im1, t10)), i64x2.extmul_low_i32x4_s(re2, b9)), i64x2.extmul_low_i32x4_s(im2, t9)), i64x2.extmul_low_i32x4_s(re3, b8)), i64x2.extmul_low_i32x4_s(im3, t8)), i64x2.extmul_low_i32x4_s(re4, b7)), i64x2.extmul_low_i32x4_s(im4, t7)), i64x2.extmul_low_i32x4_s(re5, b6)), i64x2.extmul_low_i32x4_s(im5, t6)), i64x2.extmul_low_i32x4_s(re6, b5)), i64x2.extmul_low_i32x4_s(im6, t5)), i64x2.extmul_low_i32x4_s(re7, b4)), i64x2.extmul_low_i32x4_s(im7, t4)), i64x2.extmul_low_i32x4_s(re8, b3)), i64x2.extmul_low_i32x4_s(im8, t3)), i64x2.extmul_low_i32x4_s(re9, b2)), i64x2.extmul_low_i32x4_s(im9, t2)), i64x2.extmul_low_i32x4_s(re10, b1)), i64x2.extmul_low_i32x4_s(im10, t1)), i64x2.extmul_low_i32x4_s(re11, b0)), i64x2.extmul_low_i32x4_s(im11, t0)), i64x2.extmul_low_i32x4_s(m0, p11)), i64x2.extmul_low_i32x4_s(m1, p10)), i64x2.extmul_low_i32x4_s(m2, p9)), i64x2.extmul_low_i32x4_s(m3, p8)), i64x2.extmul_low_i32x4_s(m4, p7)), i64x2.extmul_low_i32x4_s(m5, p6)), i64x2.extmul_low_i32x4_s(m6, p5)), i64x2.extmul_low_i32x4_s(m7, p4)), i64x2.extmul_low_i32x4_s(m8, p3)), i64x2.extmul_low_i32x4_s(m9, p2)), i64x2.extmul_low_i32x4_s(m10, p1)))
  c = i64x2.add(c, offset)
  const m11: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m11, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b12), i64x2.extmul_low_i32x4_s(im0, t12)), i64x2.extmul_low_i32x4_s(re1, b11)), i64x2.extmul_low_i32x4_s(im1, t11)), i64x2.extmul_low_i32x4_s(re2, b10)), i64x2.extmul_low_i32x4_s(im2, t10)), i64x2.extmul_low_i32x4_s(re3, b9)), i64x2.extmul_low_i32x4_s(im3, t9)), i64x2.extmul_low_i32x4_s(re4, b8)), i64x2.extmul_low_i32x4_s(im4, t8)), i64x2.extmul_low_i32x4_s(re5, b7)), i64x2.extmul_low_i32x4_s(im5, t7)), i64x2.extmul_low_i32x4_s(re6, b6)), i64x2.extmul_low_i32x4_s(im6, t6)), i64x2.extmul_low_i32x4_s(re7, b5)), i64x2.extmul_low_i32x4_s(im7, t5)), i64x2.extmul_low_i32x4_s(re8, b4)), i64x2.extmul_low_i32x4_s(im8, t4)), i64x2.extmul_low_i32x4_s(re9, b3)), i64x2.extmul_low_i32x4_s(im9, t3)), i64x2.extmul_low_i32x4_s(re10, b2)), i64x2.extmul_low_i32x4_s(im10, t2)), i64x2.extmul_low_i32x4_s(re11, b1)), i64x2.extmul_low_i32x4_s(im11, t1)), i64x2.extmul_low_i32x4_s(re12, b0)), i64x2.extmul_low_i32x4_s(im12, t0)), i64x2.extmul_low_i32x4_s(m0, p12)), i64x2.extmul_low_i32x4_s(m1, p11)), i64x2.extmul_low_i32x4_s(m2, p10)), i64x2.extmul_low_i32x4_s(m3, p9)), i64x2.extmul_low_i32x4_s(m4, p8)), i64x2.extmul_low_i32x4_s(m5, p7)), i64x2.extmul_low_i32x4_s(m6, p6)), i64x2.extmul_low_i32x4_s(m7, p5)), i64x2.extmul_low_i32x4_s(m8, p4)), i64x2.extmul_low_i32x4_s(m9, p3)), i64x2.extmul_low_i32x4_s(m10, p2)), i64x2.extmul_low_i32x4_s(m11, p1)))
  c = i64x2.add(c, offset)
  const m12: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m12, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re0, b13), i64x2.extmul_low_i32x4_s(im0, t13)), i64x2.extmul_low_i32x4_s(re1, b12)), i64x2.extmul_low_i32x4_s(im1, t12)), i64x2.extmul_low_i32x4_s(re2, b11)), i64x2.extmul_low_i32x4_s(im2, t11)), i64x2.extmul_low_i32x4_s(re3, b10)), i64x2.extmul_low_i32x4_s(im3, t10)), i64x2.extmul_low_i32x4_s(re4, b9)), i64x2.extmul_low_i32x4_s(im4, t9)), i64x2.extmul_low_i32x4_s(re5, b8)), i64x2.extmul_low_i32x4_s(im5, t8)), i64x2.extmul_low_i32x4_s(re6, b7)), i64x2.extmul_low_i32x4_s(im6, t7)), i64x2.extmul_low_i32x4_s(re7, b6)), i64x2.extmul_low_i32x4_s(im7, t6)), i64x2.extmul_low_i32x4_s(re8, b5)), i64x2.extmul_low_i32x4_s(im8, t5)), i64x2.extmul_low_i32x4_s(re9, b4)), i64x2.extmul_low_i32x4_s(im9, t4)), i64x2.extmul_low_i32x4_s(re10, b3)), i64x2.extmul_low_i32x4_s(im10, t3)), i64x2.extmul_low_i32x4_s(re11, b2)), i64x2.extmul_low_i32x4_s(im11, t2)), i64x2.extmul_low_i32x4_s(re12, b1)), i64x2.extmul_low_i32x4_s(im12, t1)), i64x2.extmul_low_i32x4_s(re13, b0)), i64x2.extmul_low_i32x4_s(im13, t0)), i64x2.extmul_low_i32x4_s(m0, p13)), i64x2.extmul_low_i32x4_s(m1, p12)), i64x2.extmul_low_i32x4_s(m2, p11)), i64x2.extmul_low_i32x4_s(m3, p10)), i64x2.extmul_low_i32x4_s(m4, p9)), i64x2.extmul_low_i32x4_s(m5, p8)), i64x2.extmul_low_i32x4_s(m6, p7)), i64x2.extmul_low_i32x4_s(m7, p6)), i64x2.extmul_low_i32x4_s(m8, p5)), i64x2.extmul_low_i32x4_s(m9, p4)), i64x2.extmul_low_i32x4_s(m10, p3)), i64x2.extmul_low_i32x4_s(m11, p2)), i64x2.extmul_low_i32x4_s(m12, p1)))
  c = i64x2.add(c, offset)
  const m13: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m13, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re1, b13), i64x2.extmul_low_i32x4_s(im1, t13)), i64x2.extmul_low_i32x4_s(re2, b12)), i64x2.extmul_low_i32x4_s(im2, t12)), i64x2.extmul_low_i32x4_s(re3, b11)), i64x2.extmul_low_i32x4_s(im3, t11)), i64x2.extmul_low_i32x4_s(re4, b10)), i64x2.extmul_low_i32x4_s(im4, t10)), i64x2.extmul_low_i32x4_s(re5, b9)), i64x2.extmul_low_i32x4_s(im5, t9)), i64x2.extmul_low_i32x4_s(re6, b8)), i64x2.extmul_low_i32x4_s(im6, t8)), i64x2.extmul_low_i32x4_s(re7, b7)), i64x2.extmul_low_i32x4_s(im7, t7)), i64x2.extmul_low_i32x4_s(re8, b6)), i64x2.extmul_low_i32x4_s(im8, t6)), i64x2.extmul_low_i32x4_s(re9, b5)), i64x2.extmul_low_i32x4_s(im9, t5)), i64x2.extmul_low_i32x4_s(re10, b4)), i64x2.extmul_low_i32x4_s(im10, t4)), i64x2.extmul_low_i32x4_s(re11, b3)), i64x2.extmul_low_i32x4_s(im11, t3)), i64x2.extmul_low_i32x4_s(re12, b2)), i64x2.extmul_low_i32x4_s(im12, t2)), i64x2.extmul_low_i32x4_s(re13, b1)), i64x2.extmul_low_i32x4_s(im13, t1)), i64x2.extmul_low_i32x4_s(m1, p13)), i64x2.extmul_low_i32x4_s(m2, p12)), i64x2.extmul_low_i32x4_s(m3, p11)), i64x2.extmul_low_i32x4_s(m4, p10)), i64x2.extmul_low_i32x4_s(m5, p9)), i64x2.extmul_low_i32x4_s(m6, p8)), i64x2.extmul_low_i32x4_s(m7, p7)), i64x2.extmul_low_i32x4_s(m8, p6)), i64x2.extmul_low_i32x4_s(m9, p5)), i64x2.extmul_low_i32x4_s(m10, p4)), i64x2.extmul_low_i32x4_s(m11, p3)), i64x2.extmul_low_i32x4_s(m12, p2)), i64x2.extmul_low_i32x4_s(m13, p1)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 0)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re2, b13), i64x2.extmul_low_i32x4_s(im2, t13)), i64x2.extmul_low_i32x4_s(re3, b12)), i64x2.extmul_low_i32x4_s(im3, t12)), i64x2.extmul_low_i32x4_s(re4, b11)), i64x2.extmul_low_i32x4_s(im4, t11)), i64x2.extmul_low_i32x4_s(re5, b10)), i64x2.extmul_low_i32x4_s(im5, t10)), i64x2.extmul_low_i32x4_s(re6, b9)), i64x2.extmul_low_i32x4_s(im6, t9)), i64x2.extmul_low_i32x4_s(re7, b8)), i64x2.extmul_low_i32x4_s(im7, t8)), i64x2.extmul_low_i32x4_s(re8, b7)), i64x2.extmul_low_i32x4_s(im8, t7)), i64x2.extmul_low_i32x4_s(re9, b6)), i64x2.extmul_low_i32x4_s(im9, t6)), i64x2.extmul_low_i32x4_s(re10, b5)), i64x2.extmul_low_i32x4_s(im10, t5)), i64x2.extmul_low_i32x4_s(re11, b4)), i64x2.extmul_low_i32x4_s(im11, t4)), i64x2.extmul_low_i32x4_s(re12, b3)), i64x2.extmul_low_i32x4_s(im12, t3)), i64x2.extmul_low_i32x4_s(re13, b2)), i64x2.extmul_low_i32x4_s(im13, t2)), i64x2.extmul_low_i32x4_s(m2, p13)), i64x2.extmul_low_i32x4_s(m3, p12)), i64x2.extmul_low_i32x4_s(m4, p11)), i64x2.extmul_low_i32x4_s(m5, p10)), i64x2.extmul_low_i32x4_s(m6, p9)), i64x2.extmul_low_i32x4_s(m7, p8)), i64x2.extmul_low_i32x4_s(m8, p7)), i64x2.extmul_low_i32x4_s(m9, p6)), i64x2.extmul_low_i32x4_s(m10, p5)), i64x2.extmul_low_i32x4_s(m11, p4)), i64x2.extmul_low_i32x4_s(m12, p3)), i64x2.extmul_low_i32x4_s(m13, p2)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 8)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re3, b13), i64x2.extmul_low_i32x4_s(im3, t13)), i64x2.extmul_low_i32x4_s(re4, b12)), i64x2.extmul_low_i32x4_s(im4, t12)), i64x2.extmul_low_i32x4_s(re5, b11)), i64x2.extmul_low_i32x4_s(im5, t11)), i64x2.extmul_low_i32x4_s(re6, b10)), i64x2.extmul_low_i32x4_s(im6, t10)), i64x2.extmul_low_i32x4_s(re7, b9)), i64x2.extmul_low_i32x4_s(im7, t9)), i64x2.extmul_low_i32x4_s(re8, b8)), i64x2.extmul_low_i32x4_s(im8, t8)), i64x2.extmul_low_i32x4_s(re9, b7)), i64x2.extmul_low_i32x4_s(im9, t7)), i64x2.extmul_low_i32x4_s(re10, b6)), i64x2.extmul_low_i32x4_s(im10, t6)), i64x2.extmul_low_i32x4_s(re11, b5)), i64x2.extmul_low_i32x4_s(im11, t5)), i64x2.extmul_low_i32x4_s(re12, b4)), i64x2.extmul_low_i32x4_s(im12, t4)), i64x2.extmul_low_i32x4_s(re13, b3)), i64x2.extmul_low_i32x4_s(im13, t3)), i64x2.extmul_low_i32x4_s(m3, p13)), i64x2.extmul_low_i32x4_s(m4, p12)), i64x2.extmul_low_i32x4_s(m5, p11)), i64x2.extmul_low_i32x4_s(m6, p10)), i64x2.extmul_low_i32x4_s(m7, p9)), i64x2.extmul_low_i32x4_s(m8, p8)), i64x2.extmul_low_i32x4_s(m9, p7)), i64x2.extmul_low_i32x4_s(m10, p6)), i64x2.extmul_low_i32x4_s(m11, p5)), i64x2.extmul_low_i32x4_s(m12, p4)), i64x2.extmul_low_i32x4_s(m13, p3)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 16)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re4, b13), i64x2.extmul_low_i32x4_s(im4, t13)), i64x2.extmul_low_i32x4_s(re5, b12)), i64x2.extmul_low_i32x4_s(im5, t12)), i64x2.extmul_low_i32x4_s(re6, b11)), i64x2.extmul_low_i32x4_s(im6, t11)), i64x2.extmul_low_i32x4_s(re7, b10)), i64x2.extmul_low_i32x4_s(im7, t10)), i64x2.extmul_low_i32x4_s(re8, b9)), i64x2.extmul_low_i32x4_s(im8, t9)), i64x2.extmul_low_i32x4_s(re9, b8)), i64x2.extmul_low_i32x4_s(im9, t8)), i64x2.extmul_low_i32x4_s(re10, b7)), i64x2.extmul_low_i32x4_s(im10, t7)), i64x2.extmul_low_i32x4_s(re11, b6)), i64x2.extmul_low_i32x4_s(im11, t6)), i64x2.extmul_low_i32x4_s(re12, b5)), i64x2.extmul_low_i32x4_s(im12, t5)), i64x2.extmul_low_i32x4_s(re13, b4)), i64x2.extmul_low_i32x4_s(im13, t4)), i64x2.extmul_low_i32x4_s(m4, p13)), i64x2.extmul_low_i32x4_s(m5, p12)), i64x2.extmul_low_i32x4_s(m6, p11)), i64x2.extmul_low_i32x4_s(m7, p10)), i64x2.extmul_low_i32x4_s(m8, p9)), i64x2.extmul_low_i32x4_s(m9, p8)), i64x2.extmul_low_i32x4_s(m10, p7)), i64x2.extmul_low_i32x4_s(m11, p6)), i64x2.extmul_low_i32x4_s(m12, p5)), i64x2.extmul_low_i32x4_s(m13, p4)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 24)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re5, b13), i64x2.extmul_low_i32x4_s(im5, t13)), i64x2.extmul_low_i32x4_s(re6, b12)), i64x2.extmul_low_i32x4_s(im6, t12)), i64x2.extmul_low_i32x4_s(re7, b11)), i64x2.extmul_low_i32x4_s(im7, t11)), i64x2.extmul_low_i32x4_s(re8, b10)), i64x2.extmul_low_i32x4_s(im8, t10)), i64x2.extmul_low_i32x4_s(re9, b9)), i64x2.extmul_low_i32x4_s(im9, t9)), i64x2.extmul_low_i32x4_s(re10, b8)), i64x2.extmul_low_i32x4_s(im10, t8)), i64x2.extmul_low_i32x4_s(re11, b7)), i64x2.extmul_low_i32x4_s(im11, t7)), i64x2.extmul_low_i32x4_s(re12, b6)), i64x2.extmul_low_i32x4_s(im12, t6)), i64x2.extmul_low_i32x4_s(re13, b5)), i64x2.extmul_low_i32x4_s(im13, t5)), i64x2.extmul_low_i32x4_s(m5, p13)), i64x2.extmul_low_i32x4_s(m6, p12)), i64x2.extmul_low_i32x4_s(m7, p11)), i64x2.extmul_low_i32x4_s(m8, p10)), i64x2.extmul_low_i32x4_s(m9, p9)), i64x2.extmul_low_i32x4_s(m10, p8)), i64x2.extmul_low_i32x4_s(m11, p7)), i64x2.extmul_low_i32x4_s(m12, p6)), i64x2.extmul_low_i32x4_s(m13, p5)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 32)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re6, b13), i64x2.extmul_low_i32x4_s(im6, t13)), i64x2.extmul_low_i32x4_s(re7, b12)), i64x2.extmul_low_i32x4_s(im7, t12)), i64x2.extmul_low_i32x4_s(re8, b11)), i64x2.extmul_low_i32x4_s(im8, t11)), i64x2.extmul_low_i32x4_s(re9, b10)), i64x2.extmul_low_i32x4_s(im9, t10)), i64x2.extmul_low_i32x4_s(re10, b9)), i64x2.extmul_low_i32x4_s(im10, t9)), i64x2.extmul_low_i32x4_s(re11, b8)), i64x2.extmul_low_i32x4_s(im11, t8)), i64x2.extmul_low_i32x4_s(re12, b7)), i64x2.extmul_low_i32x4_s(im12, t7)), i64x2.extmul_low_i32x4_s(re13, b6)), i64x2.extmul_low_i32x4_s(im13, t6)), i64x2.extmul_low_i32x4_s(m6, p13)), i64x2.extmul_low_i32x4_s(m7, p12)), i64x2.extmul_low_i32x4_s(m8, p11)), i64x2.extmul_low_i32x4_s(m9, p10)), i64x2.extmul_low_i32x4_s(m10, p9)), i64x2.extmul_low_i32x4_s(m11, p8)), i64x2.extmul_low_i32x4_s(m12, p7)), i64x2.extmul_low_i32x4_s(m13, p6)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 40)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re7, b13), i64x2.extmul_low_i32x4_s(im7, t13)), i64x2.extmul_low_i32x4_s(re8, b12)), i64x2.extmul_low_i32x4_s(im8, t12)), i64x2.extmul_low_i32x4_s(re9, b11)), i64x2.extmul_low_i32x4_s(im9, t11)), i64x2.extmul_low_i32x4_s(re10, b10)), i64x2.extmul_low_i32x4_s(im10, t10)), i64x2.extmul_low_i32x4_s(re11, b9)), i64x2.extmul_low_i32x4_s(im11, t9)), i64x2.extmul_low_i32x4_s(re12, b8)), i64x2.extmul_low_i32x4_s(im12, t8)), i64x2.extmul_low_i32x4_s(re13, b7)), i64x2.extmul_low_i32x4_s(im13, t7)), i64x2.extmul_low_i32x4_s(m7, p13)), i64x2.extmul_low_i32x4_s(m8, p12)), i64x2.extmul_low_i32x4_s(m9, p11)), i64x2.extmul_low_i32x4_s(m10, p10)), i64x2.extmul_low_i32x4_s(m11, p9)), i64x2.extmul_low_i32x4_s(m12, p8)), i64x2.extmul_low_i32x4_s(m13, p7)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 48)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re8, b13), i64x2.extmul_low_i32x4_s(im8, t13)), i64x2.extmul_low_i32x4_s(re9, b12)), i64x2.extmul_low_i32x4_s(im9, t12)), i64x2.extmul_low_i32x4_s(re10, b11)), i64x2.extmul_low_i32x4_s(im10, t11)), i64x2.extmul_low_i32x4_s(re11, b10)), i64x2.extmul_low_i32x4_s(im11, t10)), i64x2.extmul_low_i32x4_s(re12, b9)), i64x2.extmul_low_i32x4_s(im12, t9)), i64x2.extmul_low_i32x4_s(re13, b8)), i64x2.extmul_low_i32x4_s(im13, t8)), i64x2.extmul_low_i32x4_s(m8, p13)), i64x2.extmul_low_i32x4_s(m9, p12)), i64x2.extmul_low_i32x4_s(m10, p11)), i64x2.extmul_low_i32x4_s(m11, p10)), i64x2.extmul_low_i32x4_s(m12, p9)), i64x2.extmul_low_i32x4_s(m13, p8)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 56)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re9, b13), i64x2.extmul_low_i32x4_s(im9, t13)), i64x2.extmul_low_i32x4_s(re10, b12)), i64x2.extmul_low_i32x4_s(im10, t12)), i64x2.extmul_low_i32x4_s(re11, b11)), i64x2.extmul_low_i32x4_s(im11, t11)), i64x2.extmul_low_i32x4_s(re12, b10)), i64x2.extmul_low_i32x4_s(im12, t10)), i64x2.extmul_low_i32x4_s(re13, b9)), i64x2.extmul_low_i32x4_s(im13, t9)), i64x2.extmul_low_i32x4_s(m9, p13)), i64x2.extmul_low_i32x4_s(m10, p12)), i64x2.extmul_low_i32x4_s(m11, p11)), i64x2.extmul_low_i32x4_s(m12, p10)), i64x2.extmul_low_i32x4_s(m13, p9)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 64)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re10, b13), i64x2.extmul_low_i32x4_s(im10, t13)), i64x2.extmul_low_i32x4_s(re11, b12)), i64x2.extmul_low_i32x4_s(im11, t12)), i64x2.extmul_low_i32x4_s(re12, b11)), i64x2.extmul_low_i32x4_s(im12, t11)), i64x2.extmul_low_i32x4_s(re13, b10)), i64x2.extmul_low_i32x4_s(im13, t10)), i64x2.extmul_low_i32x4_s(m10, p13)), i64x2.extmul_low_i32x4_s(m11, p12)), i64x2.extmul_low_i32x4_s(m12, p11)), i64x2.extmul_low_i32x4_s(m13, p10)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 72)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re11, b13), i64x2.extmul_low_i32x4_s(im11, t13)), i64x2.extmul_low_i32x4_s(re12, b12)), i64x2.extmul_low_i32x4_s(im12, t12)), i64x2.extmul_low_i32x4_s(re13, b11)), i64x2.extmul_low_i32x4_s(im13, t11)), i64x2.extmul_low_i32x4_s(m11, p13)), i64x2.extmul_low_i32x4_s(m12, p12)), i64x2.extmul_low_i32x4_s(m13, p11)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 80)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re12, b13), i64x2.extmul_low_i32x4_s(im12, t13)), i64x2.extmul_low_i32x4_s(re13, b12)), i64x2.extmul_low_i32x4_s(im13, t12)), i64x2.extmul_low_i32x4_s(m12, p13)), i64x2.extmul_low_i32x4_s(m13, p12)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 88)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(re13, b13), i64x2.extmul_low_i32x4_s(im13, t13)), i64x2.extmul_low_i32x4_s(m13, p13)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 96)
  c = i64x2.shr_u(c, 28)
  c = i64x2.sub(c, i64x2.splat(0x800000000))
  v128.store64_lane(out, v128.shuffle<i32>(c, c, 0, 2, 0, 2), 0, 104)
}

/** Each half of out is the product of those halves of a and b; sizes: at most 32 halves. */
export function multiplyLanes(out: usize, a: usize, b: usize): void {
  const a0: v128 = v128.load64_zero(a, 0)
  const a1: v128 = v128.load64_zero(a, 8)
  const a2: v128 = v128.load64_zero(a, 16)
  const a3: v128 = v128.load64_zero(a, 24)
  const a4: v128 = v128.load64_zero(a, 32)
  const a5: v128 = v128.load64_zero(a, 40)
  const a6: v128 = v128.load64_zero(a, 48)
  const a7: v128 = v128.load64_zero(a, 56)
  const a8: v128 = v128.load64_zero(a, 64)
  const a9: v128 = v128.load64_zero(a, 72)
  const a10: v128 = v128.load64_zero(a, 80)
  const a11: v128 = v128.load64_zero(a, 88)
  const a12: v128 = v128.load64_zero(a, 96)
  const a13: v128 = v128.load64_zero(a, 104)
  const b0: v128 = v128.load64_zero(b, 0)
  const b1: v128 = v128.load64_zero(b, 8)
  const b2: v128 = v128.load64_zero(b, 16)
  const b3: v128 = v128.load64_zero(b, 24)
  const b4: v128 = v128.load64_zero(b, 32)
  const b5: v128 = v128.load64_zero(b, 40)
  const b6: v128 = v128.load64_zero(b, 48)
  const b7: v128 = v128.load64_zero(b, 56)
  const b8: v128 = v128.load64_zero(b, 64)
  const b9: v128 = v128.load64_zero(b, 72)
  const b10: v128 = v128.load64_zero(b, 80)
  const b11: v128 = v128.load64_zero(b, 88)
  const b12: v128 = v128.load64_zero(b, 96)
  const b13: v128 = v128.load64_zero(b, 104)
  const low: v128 = i64x2.splat(0xfffffff)
  const half: v128 = i32x4.splat(0x8000000)
  const inverse: v128 = i32x4.splat(0xffcfffd)
  const offset: v128 = i64x2.splat(0x7ffffff800000000)
  const rounding: v128 = i64x2.splat(0x7ffffff808000000)
  let c: v128 = i64x2.splat(0x8000000000000000)
  const p0: v128 = i32x4.splat(-21845)
  const p1: v128 = i32x4.splat(-1048576)
  const p2: v128 = i32x4.splat(67108794)
  const p3: v128 = i32x4.splat(-5355)
  const p4: v128 = i32x4.splat(103030444)
  const p5: v128 = i32x4.splat(-99652849)
  const p6: v128 = i32x4.splat(-10014509)
  const p7: v128 = i32x4.splat(-13086420)
  const p8: v128 = i32x4.splat(74926981)
  const p9: v128 = i32x4.splat(79351158)
  const p10: v128 = i32x4.splat(-72894909)
  const p11: v128 = i32x4.splat(-26630990)
  const p12: v128 = i32x4.splat(32127360)
  const p13: v128 = i32x4.splat(106513)
  c = i64x2.add(c, i64x2.extmul_low_i32x4_s(a0, b0))
  const m0: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m0, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b1), i64x2.extmul_low_i32x4_s(a1, b0)), i64x2.extmul_low_i32x4_s(m0, p1)))
  c = i64x2.add(c, offset)
  const m1: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m1, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b2), i64x2.extmul_low_i32x4_s(a1, b1)), i64x2.extmul_low_i32x4_s(a2, b0)), i64x2.extmul_low_i32x4_s(m0, p2)), i64x2.extmul_low_i32x4_s(m1, p1)))
  c = i64x2.add(c, offset)
  const m2: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m2, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b3), i64x2.extmul_low_i32x4_s(a1, b2)), i64x2.extmul_low_i32x4_s(a2, b1)), i64x2.extmul_low_i32x4_s(a3, b0)), i64x2.extmul_low_i32x4_s(m0, p3)), i64x2.extmul_low_i32x4_s(m1, p2)), i64x2.extmul_low_i32x4_s(m2, p1)))
  c = i64x2.add(c, offset)
  const m3: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m3, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b4), i64x2.extmul_low_i32x4_s(a1, b3)), i64x2.extmul_low_i32x4_s(a2, b2)), i64x2.extmul_low_i32x4_s(a3, b1)), i64x2.extmul_low_i32x4_s(a4, b0)), i64x2.extmul_low_i32x4_s(m0, p4)), i64x2.extmul_low_i32x4_s(m1, p3)), i64x2.extmul_low_i32x4_s(m2, p2)), i64x2.extmul_low_i32x4_s(m3, p1)))
  c = i64x2.add(c, offset)
  const m4: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m4, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b5), i64x2.extmul_low_i32x4_s(a1, b4)), i64x2.extmul_low_i32x4_s(a2, b3)), i64x2.extmul_low_i32x4_s(a3, b2)), i64x2.extmul_low_i32x4_s(a4, b1)), i64x2.extmul_low_i32x4_s(a5, b0)), i64x2.extmul_low_i32x4_s(m0, p5)), i64x2.extmul_low_i32x4_s(m1, p4)), i64x2.extmul_low_i32x4_s(m2, p3)), i64x2.extmul_low_i32x4_s(m3, p2)), i64x2.extmul_low_i32x4_s(m4, p1)))
  c = i64x2.add(c, offset)
  const m5: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m5, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b6), i64x2.extmul_low_i32x4_s(a1, b5)), i64x2.extmul_low_i32x4_s(a2, b4)), i64x2.extmul_low_i32x4_s(a3, b3)), i64x2.extmul_low_i32x4_s(a4, b2)), i64x2.extmul_low_i32x4_s(a5, b1)), i64x2.extmul_low_i32x4_s(a6, b0)), i64x2.extmul_low_i32x4_s(m0, p6)), i64x2.extmul_low_i32x4_s(m1, p5)), i64x2.extmul_low_i32x4_s(m2, p4)), i64x2.extmul_low_i32x4_s(m3, p3)), i64x2.extmul_low_i32x4_s(m4, p2)), i64x2.extmul_low_i32x4_s(m5, p1)))
  c = i64x2.add(c, offset)
  const m6: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m6, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b7), i64x2.extmul_low_i32x4_s(a1, b6)), i64x2.extmul_low_i32x4_s(a2, b5)), i64x2.extmul_low_i32x4_s(a3, b4)), i64x2.extmul_low_i32x4_s(a4, b3)), i64x2.extmul_low_i32x4_s(a5, b2)), i64x2.extmul_low_i32x4_s(a6, b1)), i64x2.extmul_low_i32x4_s(a7, b0)), i64x2.extmul_low_i32x4_s(m0, p7)), i64x2.extmul_low_i32x4_s(m1, p6)), i64x2.extmul_low_i32x4_s(m2, p5)), i64x2.extmul_low_i32x4_s(m3, p4)), i64x2.extmul_low_i32x4_s(m4, p3)), i64x2.extmul_low_i32x4_s(m5, p2)), i64x2.extmul_low_i32x4_s(m6, p1)))
  c = i64x2.add(c, offset)
  const m7: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m7, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b8), i64x2.extmul_low_i32x4_s(a1, b7)), i64x2.extmul_low_i32x4_s(a2, b6)), i64x2.extmul_low_i32x4_s(a3, b5)), i64x2.extmul_low_i32x4_s(a4, b4)), i64x2.extmul_low_i32x4_s(a5, b3)), i64x2.extmul_low_i32x4_s(a6, b2)), i64x2.extmul_low_i32x4_s(a7, b1)), i64x2.extmul_low_i32x4_s(a8, b0)), i64x2.extmul_low_i32x4_s(m0, p8)), i64x2.extmul_low_i32x4_s(m1, p7)), i64x2.extmul_low_i32x4_s(m2, p6)), i64x2.extmul_low_i32x4_s(m3, p5)), i64x2.extmul_low_i32x4_s(m4, p4)), i64x2.extmul_low_i32x4_s(m5, p3)), i64x2.extmul_low_i32x4_s(m6, p2)), i64x2.extmul_low_i32x4_s(m7, p1)))
  c = i64x2.add(c, offset)
  const m8: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m8, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b9), i64x2.extmul_low_i32x4_s(a1, b8)), i64x2.extmul_low_i32x4_s(a2, b7)), i64x2.extmul_low_i32x4_s(a3, b6)), i64x2.extmul_low_i32x4_s(a4, b5)), i64x2.extmul_low_i32x4_s(a5, b4)), i64x2.extmul_low_i32x4_s(a6, b3)), i64x2.extmul_low_i32x4_s(a7, b2)), i64x2.extmul_low_i32x4_s(a8, b1)), i64x2.extmul_low_i32x4_s(a9, b0)), i64x2.extmul_low_i32x4_s(m0, p9)), i64x2.extmul_low_i32x4_s(m1, p8)), i64x2.extmul_low_i32x4_s(m2, p7)), i64x2.extmul_low_i32x4_s(m3, p6)), i64x2.extmul_low_i32x4_s(m4, p5)), i64x2.extmul_low_i32x4_s(m5, p4)), i64x2.extmul_low_i32x4_s(m6, p3)), i64x2.extmul_low_i32x4_s(m7, p2)), i64x2.extmul_low_i32x4_s(m8, p1)))
  c = i64x2.add(c, offset)
  const m9: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m9, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b10), i64x2.extmul_low_i32x4_s(a1, b9)), i64x2.extmul_low_i32x4_s(a2, b8)), i64x2.extmul_low_i32x4_s(a3, b7)), i64x2.extmul_low_i32x4_s(a4, b6)), i64x2.extmul_low_i32x4_s(a5, b5)), i64x2.extmul_low_i32x4_s(a6, b4)), i64x2.extmul_low_i32x4_s(a7, b3)), i64x2.extmul_low_i32x4_s(a8, b2)), i64x2.extmul_low_i32x4_s(a9, b1)), i64x2.extmul_low_i32x4_s(a10, b0)), i64x2.extmul_low_i32x4_s(m0, p10)), i64x2.extmul_low_i32x4_s(m1, p9)), i64x2.extmul_low_i32x4_s(m2, p8)), i64x2.extmul_low_i32x4_s(m3, p7)), i64x2.extmul_low_i32x4_s(m4, p6)), i64x2.extmul_low_i32x4_s(m5, p5)), i64x2.extmul_low_i32x4_s(m6, p4)), i64x2.extmul_low_i32x4_s(m7, p3)), i64x2.extmul_low_i32x4_s(m8, p2)), i64x2.extmul_low_i32x4_s(m9, p1)))
  c = i64x2.add(c, offset)
  const m10: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m10, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b11), i64x2.extmul_low_i32x4_s(a1, b10)), i64x2.extmul_low_i32x4_s(a2, b9)), i64x2.extmul_low_i32x4_s(a3, b8)), i64x2.extmul_low_i32x4_s(a4, b7)), i64x2.extmul_low_i32x4_s(a5, b6)), i64x2.extmul_low_i32x4_s(a6, b5)), i64x2.extmul_low_i32x4_s(a7, b4)), i64x2.extmul_low_i32x4_s(a8, b3)), i64x2.extmul_low_i32x4_s(a9, b2)), i64x2.extmul_low_i32x4_s(a10, b1)), i64x2.extmul_low_i32x4_s(a11, b0)), i64x2.extmul_low_i32x4_s(m0, p11)), i64x2.extmul_low_i32x4_s(m1, p10)), i64x2.extmul_low_i32x4_s(m2, p9)), i64x2.extmul_low_i32x4_s(m3, p8)), i64x2.extmul_low_i32x4_s(m4, p7)), i64x2.extmul_low_i32x4_s(m5, p6)), i64x2.extmul_low_i32x4_s(m6, p5)), i64x2.extmul_low_i32x4_s(m7, p4)), i64x2.extmul_low_i32x4_s(m8, p3)), i64x2.extmul_low_i32x4_s(m9, p2)), i64x2.extmul_low_i32x4_s(m10, p1)))
  c = i64x2.add(c, offset)
  const m11: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m11, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b12), i64x2.extmul_low_i32x4_s(a1, b11)), i64x2.extmul_low_i32x4_s(a2, b10)), i64x2.extmul_low_i32x4_s(a3, b9)), i64x2.extmul_low_i32x4_s(a4, b8)), i64x2.extmul_low_i32x4_s(a5, b7)), i64x2.extmul_low_i32x4_s(a6, b6)), i64x2.extmul_low_i32x4_s(a7, b5)), i64x2.extmul_low_i32x4_s(a8, b4)), i64x2.extmul_low_i32x4_s(a9, b3)), i64x2.extmul_low_i32x4_s(a10, b2)), i64x2.extmul_low_i32x4_s(a11, b1)), i64x2.extmul_low_i32x4_s(a12, b0)), i64x2.extmul_low_i32x4_s(m0, p12)), i64x2.extmul_low_i32x4_s(m1, p11)), i64x2.extmul_low_i32x4_s(m2, p10)), i64x2.extmul_low_i32x4_s(m3, p9)), i64x2.extmul_low_i32x4_s(m4, p8)), i64x2.extmul_low_i32x4_s(m5, p7)), i64x2.extmul_low_i32x4_s(m6, p6)), i64x2.extmul_low_i32x4_s(m7, p5)), i64x2.extmul_low_i32x4_s(m8, p4)), i64x2.extmul_low_i32x4_s(m9, p3)), i64x2.extmul_low_i32x4_s(m10, p2)), i64x2.extmul_low_i32x4_s(m11, p1)))
  c = i64x2.add(c, offset)
  const m12: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m12, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a0, b13), i64x2.extmul_low_i32x4_s(a1, b12)), i64x2.extmul_low_i32x4_s(a2, b11)), i64x2.extmul_low_i32x4_s(a3, b10)), i64x2.extmul_low_i32x4_s(a4, b9)), i64x2.extmul_low_i32x4_s(a5, b8)), i64x2.extmul_low_i32x4_s(a6, b7)), i64x2.extmul_low_i32x4_s(a7, b6)), i64x2.extmul_low_i32x4_s(a8, b5)), i64x2.extmul_low_i32x4_s(a9, b4)), i64x2.extmul_low_i32x4_s(a10, b3)), i64x2.extmul_low_i32x4_s(a11, b2)), i64x2.extmul_low_i32x4_s(a12, b1)), i64x2.extmul_low_i32x4_s(a13, b0)), i64x2.extmul_low_i32x4_s(m0, p13)), i64x2.extmul_low_i32x4_s(m1, p12)), i64x2.extmul_low_i32x4_s(m2, p11)), i64x2.extmul_low_i32x4_s(m3, p10)), i64x2.extmul_low_i32x4_s(m4, p9)), i64x2.extmul_low_i32x4_s(m5, p8)), i64x2.extmul_low_i32x4_s(m6, p7)), i64x2.extmul_low_i32x4_s(m7, p6)), i64x2.extmul_low_i32x4_s(m8, p5)), i64x2.extmul_low_i32x4_s(m9, p4)), i64x2.extmul_low_i32x4_s(m10, p3)), i64x2.extmul_low_i32x4_s(m11, p2)), i64x2.extmul_low_i32x4_s(m12, p1)))
  c = i64x2.add(c, offset)
  const m13: v128 = v128.and(v128.shuffle<i32>(i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), i64x2.extmul_low_i32x4_s(v128.shuffle<i32>(c, c, 0, 2, 0, 2), inverse), 0, 2, 0, 2), i32x4.splat(0xfffffff))
  c = i64x2.shr_u(i64x2.add(c, i64x2.extmul_low_i32x4_s(m13, p0)), 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a1, b13), i64x2.extmul_low_i32x4_s(a2, b12)), i64x2.extmul_low_i32x4_s(a3, b11)), i64x2.extmul_low_i32x4_s(a4, b10)), i64x2.extmul_low_i32x4_s(a5, b9)), i64x2.extmul_low_i32x4_s(a6, b8)), i64x2.extmul_low_i32x4_s(a7, b7)), i64x2.extmul_low_i32x4_s(a8, b6)), i64x2.extmul_low_i32x4_s(a9, b5)), i64x2.extmul_low_i32x4_s(a10, b4)), i64x2.extmul_low_i32x4_s(a11, b3)), i64x2.extmul_low_i32x4_s(a12, b2)), i64x2.extmul_low_i32x4_s(a13, b1)), i64x2.extmul_low_i32x4_s(m1, p13)), i64x2.extmul_low_i32x4_s(m2, p12)), i64x2.extmul_low_i32x4_s(m3, p11)), i64x2.extmul_low_i32x4_s(m4, p10)), i64x2.extmul_low_i32x4_s(m5, p9)), i64x2.extmul_low_i32x4_s(m6, p8)), i64x2.extmul_low_i32x4_s(m7, p7)), i64x2.extmul_low_i32x4_s(m8, p6)), i64x2.extmul_low_i32x4_s(m9, p5)), i64x2.extmul_low_i32x4_s(m10, p4)), i64x2.extmul_low_i32x4_s(m11, p3)), i64x2.extmul_low_i32x4_s(m12, p2)), i64x2.extmul_low_i32x4_s(m13, p1)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 0)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a2, b13), i64x2.extmul_low_i32x4_s(a3, b12)), i64x2.extmul_low_i32x4_s(a4, b11)), i64x2.extmul_low_i32x4_s(a5, b10)), i64x2.extmul_low_i32x4_s(a6, b9)), i64x2.extmul_low_i32x4_s(a7, b8)), i64x2.extmul_low_i32x4_s(a8, b7)), i64x2.extmul_low_i32x4_s(a9, b6)), i64x2.extmul_low_i32x4_s(a10, b5)), i64x2.extmul_low_i32x4_s(a11, b4)), i64x2.extmul_low_i32x4_s(a12, b3)), i64x2.extmul_low_i32x4_s(a13, b2)), i64x2.extmul_low_i32x4_s(m2, p13)), i64x2.extmul_low_i32x4_s(m3, p12)), i64x2.extmul_low_i32x4_s(m4, p11)), i64x2.extmul_low_i32x4_s(m5, p10)), i64x2.extmul_low_i32x4_s(m6, p9)), i64x2.extmul_low_i32x4_s(m7, p8)), i64x2.extmul_low_i32x4_s(m8, p7)), i64x2.extmul_low_i32x4_s(m9, p6)), i64x2.extmul_low_i32x4_s(m10, p5)), i64x2.extmul_low_i32x4_s(m11, p4)), i64x2.extmul_low_i32x4_s(m12, p3)), i64x2.extmul_low_i32x4_s(m13, p2)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 8)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a3, b13), i64x2.extmul_low_i32x4_s(a4, b12)), i64x2.extmul_low_i32x4_s(a5, b11)), i64x2.extmul_low_i32x4_s(a6, b10)), i64x2.extmul_low_i32x4_s(a7, b9)), i64x2.extmul_low_i32x4_s(a8, b8)), i64x2.extmul_low_i32x4_s(a9, b7)), i64x2.extmul_low_i32x4_s(a10, b6)), i64x2.extmul_low_i32x4_s(a11, b5)), i64x2.extmul_low_i32x4_s(a12, b4)), i64x2.extmul_low_i32x4_s(a13, b3)), i64x2.extmul_low_i32x4_s(m3, p13)), i64x2.extmul_low_i32x4_s(m4, p12)), i64x2.extmul_low_i32x4_s(m5, p11)), i64x2.extmul_low_i32x4_s(m6, p10)), i64x2.extmul_low_i32x4_s(m7, p9)), i64x2.extmul_low_i32x4_s(m8, p8)), i64x2.extmul_low_i32x4_s(m9, p7)), i64x2.extmul_low_i32x4_s(m10, p6)), i64x2.extmul_low_i32x4_s(m11, p5)), i64x2.extmul_low_i32x4_s(m12, p4)), i64x2.extmul_low_i32x4_s(m13, p3)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 16)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a4, b13), i64x2.extmul_low_i32x4_s(a5, b12)), i64x2.extmul_low_i32x4_s(a6, b11)), i64x2.extmul_low_i32x4_s(a7, b10)), i64x2.extmul_low_i32x4_s(a8, b9)), i64x2.extmul_low_i32x4_s(a9, b8)), i64x2.extmul_low_i32x4_s(a10, b7)), i64x2.extmul_low_i32x4_s(a11, b6)), i64x2.extmul_low_i32x4_s(a12, b5)), i64x2.extmul_low_i32x4_s(a13, b4)), i64x2.extmul_low_i32x4_s(m4, p13)), i64x2.extmul_low_i32x4_s(m5, p12)), i64x2.extmul_low_i32x4_s(m6, p11)), i64x2.extmul_low_i32x4_s(m7, p10)), i64x2.extmul_low_i32x4_s(m8, p9)), i64x2.extmul_low_i32x4_s(m9, p8)), i64x2.extmul_low_i32x4_s(m10, p7)), i64x2.extmul_low_i32x4_s(m11, p6)), i64x2.extmul_low_i32x4_s(m12, p5)), i64x2.extmul_low_i32x4_s(m13, p4)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 24)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a5, b13), i64x2.extmul_low_i32x4_s(a6, b12)), i64x2.extmul_low_i32x4_s(a7, b11)), i64x2.extmul_low_i32x4_s(a8, b10)), i64x2.extmul_low_i32x4_s(a9, b9)), i64x2.extmul_low_i32x4_s(a10, b8)), i64x2.extmul_low_i32x4_s(a11, b7)), i64x2.extmul_low_i32x4_s(a12, b6)), i64x2.extmul_low_i32x4_s(a13, b5)), i64x2.extmul_low_i32x4_s(m5, p13)), i64x2.extmul_low_i32x4_s(m6, p12)), i64x2.extmul_low_i32x4_s(m7, p11)), i64x2.extmul_low_i32x4_s(m8, p10)), i64x2.extmul_low_i32x4_s(m9, p9)), i64x2.extmul_low_i32x4_s(m10, p8)), i64x2.extmul_low_i32x4_s(m11, p7)), i64x2.extmul_low_i32x4_s(m12, p6)), i64x2.extmul_low_i32x4_s(m13, p5)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 32)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a6, b13), i64x2.extmul_low_i32x4_s(a7, b12)), i64x2.extmul_low_i32x4_s(a8, b11)), i64x2.extmul_low_i32x4_s(a9, b10)), i64x2.extmul_low_i32x4_s(a10, b9)), i64x2.extmul_low_i32x4_s(a11, b8)), i64x2.extmul_low_i32x4_s(a12, b7)), i64x2.extmul_low_i32x4_s(a13, b6)), i64x2.extmul_low_i32x4_s(m6, p13)), i64x2.extmul_low_i32x4_s(m7, p12)), i64x2.extmul_low_i32x4_s(m8, p11)), i64x2.extmul_low_i32x4_s(m9, p10)), i64x2.extmul_low_i32x4_s(m10, p9)), i64x2.extmul_low_i32x4_s(m11, p8)), i64x2.extmul_low_i32x4_s(m12, p7)), i64x2.extmul_low_i32x4_s(m13, p6)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 40)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a7, b13), i64x2.extmul_low_i32x4_s(a8, b12)), i64x2.extmul_low_i32x4_s(a9, b11)), i64x2.extmul_low_i32x4_s(a10, b10)), i64x2.extmul_low_i32x4_s(a11, b9)), i64x2.extmul_low_i32x4_s(a12, b8)), i64x2.extmul_low_i32x4_s(a13, b7)), i64x2.extmul_low_i32x4_s(m7, p13)), i64x2.extmul_low_i32x4_s(m8, p12)), i64x2.extmul_low_i32x4_s(m9, p11)), i64x2.extmul_low_i32x4_s(m10, p10)), i64x2.extmul_low_i32x4_s(m11, p9)), i64x2.extmul_low_i32x4_s(m12, p8)), i64x2.extmul_low_i32x4_s(m13, p7)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 48)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a8, b13), i64x2.extmul_low_i32x4_s(a9, b12)), i64x2.extmul_low_i32x4_s(a10, b11)), i64x2.extmul_low_i32x4_s(a11, b10)), i64x2.extmul_low_i32x4_s(a12, b9)), i64x2.extmul_low_i32x4_s(a13, b8)), i64x2.extmul_low_i32x4_s(m8, p13)), i64x2.extmul_low_i32x4_s(m9, p12)), i64x2.extmul_low_i32x4_s(m10, p11)), i64x2.extmul_low_i32x4_s(m11, p10)), i64x2.extmul_low_i32x4_s(m12, p9)), i64x2.extmul_low_i32x4_s(m13, p8)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 56)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a9, b13), i64x2.extmul_low_i32x4_s(a10, b12)), i64x2.extmul_low_i32x4_s(a11, b11)), i64x2.extmul_low_i32x4_s(a12, b10)), i64x2.extmul_low_i32x4_s(a13, b9)), i64x2.extmul_low_i32x4_s(m9, p13)), i64x2.extmul_low_i32x4_s(m10, p12)), i64x2.extmul_low_i32x4_s(m11, p11)), i64x2.extmul_low_i32x4_s(m12, p10)), i64x2.extmul_low_i32x4_s(m13, p9)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 64)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a10, b13), i64x2.extmul_low_i32x4_s(a11, b12)), i64x2.extmul_low_i32x4_s(a12, b11)), i64x2.extmul_low_i32x4_s(a13, b10)), i64x2.extmul_low_i32x4_s(m10, p13)), i64x2.extmul_low_i32x4_s(m11, p12)), i64x2.extmul_low_i32x4_s(m12, p11)), i64x2.extmul_low_i32x4_s(m13, p10)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 72)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a11, b13), i64x2.extmul_low_i32x4_s(a12, b12)), i64x2.extmul_low_i32x4_s(a13, b11)), i64x2.extmul_low_i32x4_s(m11, p13)), i64x2.extmul_low_i32x4_s(m12, p12)), i64x2.extmul_low_i32x4_s(m13, p11)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 80)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.add(i64x2.add(i64x2.extmul_low_i32x4_s(a12, b13), i64x2.extmul_low_i32x4_s(a13, b12)), i64x2.extmul_low_i32x4_s(m12, p13)), i64x2.extmul_low_i32x4_s(m13, p12)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 88)
  c = i64x2.shr_u(c, 28)
  c = i64x2.add(c, i64x2.add(i64x2.extmul_low_i32x4_s(a13, b13), i64x2.extmul_low_i32x4_s(m13, p13)))
  c = i64x2.add(c, rounding)
  v128.store64_lane(out, i32x4.sub(v128.shuffle<i32>(v128.and(c, low), v128.and(c, low), 0, 2, 0, 2), half), 0, 96)
  c = i64x2.shr_u(c, 28)
  c = i64x2.sub(c, i64x2.splat(0x800000000))
  v128.store64_lane(out, v128.shuffle<i32>(c, c, 0, 2, 0, 2), 0, 104)
}

/**
 * out = a minus the nearest multiple of the prime, with limbs centred: at most one half (and the
 * carry of a limb). a is at most seven halves.
 */
export function reduce(out: usize, a: usize): void {
  const top: v128 = v128.load64_zero(a, 104)
  let q: v128 = i32x4.shr_s(
    i32x4.add(i32x4.mul(top, i32x4.splat(630)), i32x4.splat(0x2000000)), 26,
  )
  q = v128.shuffle<i32>(q, q, 0, 1, 0, 1)
  const half: v128 = i32x4.splat(0x8000000)
  let before: v128 = i32x4.splat(0)
  let x: v128
  let carry: v128
  x = i32x4.sub(v128.load(a, 0), i32x4.mul(q, i32x4(-21845, -21845, -1048576, -1048576)))
  carry = i32x4.shr_s(i32x4.add(x, half), 28)
  x = i32x4.sub(x, i32x4.shl(carry, 28))
  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), 0)
  before = carry
  x = i32x4.sub(v128.load(a, 16), i32x4.mul(q, i32x4(67108794, 67108794, -5355, -5355)))
  carry = i32x4.shr_s(i32x4.add(x, half), 28)
  x = i32x4.sub(x, i32x4.shl(carry, 28))
  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), 16)
  before = carry
  x = i32x4.sub(v128.load(a, 32), i32x4.mul(q, i32x4(103030444, 103030444, -99652849, -99652849)))
  carry = i32x4.shr_s(i32x4.add(x, half), 28)
  x = i32x4.sub(x, i32x4.shl(carry, 28))
  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), 32)
  before = carry
  x = i32x4.sub(v128.load(a, 48), i32x4.mul(q, i32x4(-10014509, -10014509, -13086420, -13086420)))
  carry = i32x4.shr_s(i32x4.add(x, half), 28)
  x = i32x4.sub(x, i32x4.shl(carry, 28))
  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), 48)
  before = carry
  x = i32x4.sub(v128.load(a, 64), i32x4.mul(q, i32x4(74926981, 74926981, 79351158, 79351158)))
  carry = i32x4.shr_s(i32x4.add(x, half), 28)
  x = i32x4.sub(x, i32x4.shl(carry, 28))
  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), 64)
  before = carry
  x = i32x4.sub(v128.load(a, 80), i32x4.mul(q, i32x4(-72894909, -72894909, -26630990, -26630990)))
  carry = i32x4.shr_s(i32x4.add(x, half), 28)
  x = i32x4.sub(x, i32x4.shl(carry, 28))
  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), 80)
  before = carry
  x = i32x4.sub(v128.load(a, 96), i32x4.mul(q, i32x4(32127360, 32127360, 106513, 106513)))
  carry = i32x4.shr_s(i32x4.add(x, half), 28)
  x = i32x4.sub(x, i32x4.shl(carry, 28))
  v128.store(out, i32x4.add(x, v128.shuffle<i32>(before, carry, 2, 3, 4, 5)), 96)
}

/** out = a + b. */
export function add(out: usize, a: usize, b: usize): void {
  v128.store(out, i32x4.add(v128.load(a, 0), v128.load(b, 0)), 0)
  v128.store(out, i32x4.add(v128.load(a, 16), v128.load(b, 16)), 16)
  v128.store(out, i32x4.add(v128.load(a, 32), v128.load(b, 32)), 32)
  v128.store(out, i32x4.add(v128.load(a, 48), v128.load(b, 48)), 48)
  v128.store(out, i32x4.add(v128.load(a, 64), v128.load(b, 64)), 64)
  v128.store(out, i32x4.add(v128.load(a, 80), v128.load(b, 80)), 80)
  v128.store(out, i32x4.add(v128.load(a, 96), v128.load(b, 96)), 96)
}

/** out = a - b. */
export function subtract(out: usize, a: usize, b: usize): void {
  v128.store(out, i32x4.sub(v128.load(a, 0), v128.load(b, 0)), 0)
  v128.store(out, i32x4.sub(v128.load(a, 16), v128.load(b, 16)), 16)
  v128.store(out, i32x4.sub(v128.load(a, 32), v128.load(b, 32)), 32)
  v128.store(out, i32x4.sub(v128.load(a, 48), v128.load(b, 48)), 48)
  v128.store(out, i32x4.sub(v128.load(a, 64), v128.load(b, 64)), 64)
  v128.store(out, i32x4.sub(v128.load(a, 80), v128.load(b, 80)), 80)
  v128.store(out, i32x4.sub(v128.load(a, 96), v128.load(b, 96)), 96)
}

/** out = -a. */
export function negate(out: usize, a: usize): void {
  v128.store(out, i32x4.neg(v128.load(a, 0)), 0)
  v128.store(out, i32x4.neg(v128.load(a, 16)), 16)
  v128.store(out, i32x4.neg(v128.load(a, 32)), 32)
  v128.store(out, i32x4.neg(v128.load(a, 48)), 48)
  v128.store(out, i32x4.neg(v128.load(a, 64)), 64)
  v128.store(out, i32x4.neg(v128.load(a, 80)), 80)
  v128.store(out, i32x4.neg(v128.load(a, 96)), 96)
}

/** out = 2 * a. */
export function twice(out: usize, a: usize): void {
  v128.store(out, i32x4.shl(v128.load(a, 0), 1), 0)
  v128.store(out, i32x4.shl(v128.load(a, 16), 1), 16)
  v128.store(out, i32x4.shl(v128.load(a, 32), 1), 32)
  v128.store(out, i32x4.shl(v128.load(a, 48), 1), 48)
  v128.store(out, i32x4.shl(v128.load(a, 64), 1), 64)
  v128.store(out, i32x4.shl(v128.load(a, 80), 1), 80)
  v128.store(out, i32x4.shl(v128.load(a, 96), 1), 96)
}

/** out = 3 * a. */
export function thrice(out: usize, a: usize): void {
  v128.store(out, i32x4.add(v128.load(a, 0), i32x4.shl(v128.load(a, 0), 1)), 0)
  v128.store(out, i32x4.add(v128.load(a, 16), i32x4.shl(v128.load(a, 16), 1)), 16)
  v128.store(out, i32x4.add(v128.load(a, 32), i32x4.shl(v128.load(a, 32), 1)), 32)
  v128.store(out, i32x4.add(v128.load(a, 48), i32x4.shl(v128.load(a, 48), 1)), 48)
  v128.store(out, i32x4.add(v128.load(a, 64), i32x4.shl(v128.load(a, 64), 1)), 64)
  v128.store(out, i32x4.add(v128.load(a, 80), i32x4.shl(v128.load(a, 80), 1)), 80)
  v128.store(out, i32x4.add(v128.load(a, 96), i32x4.shl(v128.load(a, 96), 1)), 96)
}

/** out = 4 * a. */
export function fourfold(out: usize, a: usize): void {
  v128.store(out, i32x4.shl(v128.load(a, 0), 2), 0)
  v128.store(out, i32x4.shl(v128.load(a, 16), 2), 16)
  v128.store(out, i32x4.shl(v128.load(a, 32), 2), 32)
  v128.store(out, i32x4.shl(v128.load(a, 48), 2), 48)
  v128.store(out, i32x4.shl(v128.load(a, 64), 2), 64)
  v128.store(out, i32x4.shl(v128.load(a, 80), 2), 80)
  v128.store(out, i32x4.shl(v128.load(a, 96), 2), 96)
}

/** out = a. */
export function copy(out: usize, a: usize): void {
  v128.store(out, v128.load(a, 0), 0)
  v128.store(out, v128.load(a, 16), 16)
  v128.store(out, v128.load(a, 32), 32)
  v128.store(out, v128.load(a, 48), 48)
  v128.store(out, v128.load(a, 64), 64)
  v128.store(out, v128.load(a, 80), 80)
  v128.store(out, v128.load(a, 96), 96)
}

/** out = re - im * i. */
export function conjugate(out: usize, a: usize): void {
  v128.store(out, i32x4.mul(v128.load(a, 0), i32x4(1, -1, 1, -1)), 0)
  v128.store(out, i32x4.mul(v128.load(a, 16), i32x4(1, -1, 1, -1)), 16)
  v128.store(out, i32x4.mul(v128.load(a, 32), i32x4(1, -1, 1, -1)), 32)
  v128.store(out, i32x4.mul(v128.load(a, 48), i32x4(1, -1, 1, -1)), 48)
  v128.store(out, i32x4.mul(v128.load(a, 64), i32x4(1, -1, 1, -1)), 64)
  v128.store(out, i32x4.mul(v128.load(a, 80), i32x4(1, -1, 1, -1)), 80)
  v128.store(out, i32x4.mul(v128.load(a, 96), i32x4(1, -1, 1, -1)), 96)
}

/** out = a * (1 + i): re - im and im + re; twice the size. */
export function timesXi(out: usize, a: usize): void {
  v128.store(out, i32x4.add(v128.load(a, 0), i32x4.mul(v128.shuffle<i32>(v128.load(a, 0), v128.load(a, 0), 1, 0, 3, 2), i32x4(-1, 1, -1, 1))), 0)
  v128.store(out, i32x4.add(v128.load(a, 16), i32x4.mul(v128.shuffle<i32>(v128.load(a, 16), v128.load(a, 16), 1, 0, 3, 2), i32x4(-1, 1, -1, 1))), 16)
  v128.store(out, i32x4.add(v128.load(a, 32), i32x4.mul(v128.shuffle<i32>(v128.load(a, 32), v128.load(a, 32), 1, 0, 3, 2), i32x4(-1, 1, -1, 1))), 32)
  v128.store(out, i32x4.add(v128.load(a, 48), i32x4.mul(v128.shuffle<i32>(v128.load(a, 48), v128.load(a, 48), 1, 0, 3, 2), i32x4(-1, 1, -1, 1))), 48)
  v128.store(out, i32x4.add(v128.load(a, 64), i32x4.mul(v128.shuffle<i32>(v128.load(a, 64), v128.load(a, 64), 1, 0, 3, 2), i32x4(-1, 1, -1, 1))), 64)
  v128.store(out, i32x4.add(v128.load(a, 80), i32x4.mul(v128.shuffle<i32>(v128.load(a, 80), v128.load(a, 80), 1, 0, 3, 2), i32x4(-1, 1, -1, 1))), 80)
  v128.store(out, i32x4.add(v128.load(a, 96), i32x4.mul(v128.shuffle<i32>(v128.load(a, 96), v128.load(a, 96), 1, 0, 3, 2), i32x4(-1, 1, -1, 1))), 96)
}

/** out = the first half of a in both. */
export function splat(out: usize, a: usize): void {
  v128.store(out, v128.shuffle<i32>(v128.load(a, 0), v128.load(a, 0), 0, 0, 2, 2), 0)
  v128.store(out, v128.shuffle<i32>(v128.load(a, 16), v128.load(a, 16), 0, 0, 2, 2), 16)
  v128.store(out, v128.shuffle<i32>(v128.load(a, 32), v128.load(a, 32), 0, 0, 2, 2), 32)
  v128.store(out, v128.shuffle<i32>(v128.load(a, 48), v128.load(a, 48), 0, 0, 2, 2), 48)
  v128.store(out, v128.shuffle<i32>(v128.load(a, 64), v128.load(a, 64), 0, 0, 2, 2), 64)
  v128.store(out, v128.shuffle<i32>(v128.load(a, 80), v128.load(a, 80), 0, 0, 2, 2), 80)
  v128.store(out, v128.shuffle<i32>(v128.load(a, 96), v128.load(a, 96), 0, 0, 2, 2), 96)
}

/** out = (re + im, 2 * re) and paired = (re - im, im): their products are the square of a. */
export function splitSquare(out: usize, paired: usize, a: usize): void {
  let x: v128
  x = v128.load(a, 0)
  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), 0)
  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), 0)
  x = v128.load(a, 16)
  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), 16)
  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), 16)
  x = v128.load(a, 32)
  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), 32)
  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), 32)
  x = v128.load(a, 48)
  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), 48)
  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), 48)
  x = v128.load(a, 64)
  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), 64)
  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), 64)
  x = v128.load(a, 80)
  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), 80)
  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), 80)
  x = v128.load(a, 96)
  v128.store(out, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), v128.shuffle<i32>(x, x, 1, 0, 3, 2)), 96)
  v128.store(paired, i32x4.sub(v128.shuffle<i32>(x, i32x4.splat(0), 0, 1, 2, 3), v128.shuffle<i32>(x, i32x4.splat(0), 1, 4, 3, 4)), 96)
}
