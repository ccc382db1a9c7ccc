/**
 * 256-bit words in memory: four u64 limbs, least significant first. Functions take addresses. The destination may be
 * an operand.
 */

@inline
export function setWord(out: usize, value: u64): void {
  store<u64>(out, value)
  store<u64>(out, 0, 8)
  store<u64>(out, 0, 16)
  store<u64>(out, 0, 24)
}

@inline
export function copyWord(out: usize, a: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  store<u64>(out, a0)
  store<u64>(out, a1, 8)
  store<u64>(out, a2, 16)
  store<u64>(out, a3, 24)
}

@inline
export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

@inline
export function equalWords(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ==
    0
  )
}

@inline
export function isLess(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 != b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 != b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 != b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

/** Order as two's complement. */
@inline
export function isLessSigned(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24)
  const b3 = load<i64>(b, 24)
  if (a3 != b3) return a3 < b3
  return isLess(a, b)
}

/** Returns true if the value is below 2^64. */
@inline
export function fitsLimb(a: usize): bool {
  return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

/** Returns the value, or 2^64 - 1 if it is larger. */
@inline
export function saturate(a: usize): u64 {
  return fitsLimb(a) ? load<u64>(a) : u64.MAX_VALUE
}

/** Adds, and returns the carry out of 256 bits. */
@inline
export function addWords(out: usize, a: usize, b: usize): u64 {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const r0 = a0 + load<u64>(b)
  let carry = u64(r0 < a0)
  let sum = a1 + load<u64>(b, 8)
  let over = u64(sum < a1)
  const r1 = sum + carry
  carry = over | u64(r1 < sum)
  sum = a2 + load<u64>(b, 16)
  over = u64(sum < a2)
  const r2 = sum + carry
  carry = over | u64(r2 < sum)
  sum = a3 + load<u64>(b, 24)
  over = u64(sum < a3)
  const r3 = sum + carry
  store<u64>(out, r0)
  store<u64>(out, r1, 8)
  store<u64>(out, r2, 16)
  store<u64>(out, r3, 24)
  return over | u64(r3 < sum)
}

/** a - b modulo 2^256. */
@inline
export function subtractWords(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  const d1 = a1 - b1
  const d2 = a2 - b2
  const borrow0 = u64(a0 < b0)
  const borrow1 = u64(a1 < b1) | u64(d1 < borrow0)
  const borrow2 = u64(a2 < b2) | u64(d2 < borrow1)
  store<u64>(out, a0 - b0)
  store<u64>(out, d1 - borrow0, 8)
  store<u64>(out, d2 - borrow1, 16)
  store<u64>(out, a3 - b3 - borrow2, 24)
}

export function negateWord(out: usize, a: usize): void {
  store<u64>(out, ~load<u64>(a))
  store<u64>(out, ~load<u64>(a, 8), 8)
  store<u64>(out, ~load<u64>(a, 16), 16)
  store<u64>(out, ~load<u64>(a, 24), 24)
  let i: usize = 0
  do {
    const limb = load<u64>(out + i) + 1
    store<u64>(out + i, limb)
    if (limb != 0) return
    i += 8
  } while (i < 32)
}

/** Reads 32 big-endian bytes. */
@inline
export function readBytes(out: usize, bytes: usize): void {
  const a0 = bswap(load<u64>(bytes, 24))
  const a1 = bswap(load<u64>(bytes, 16))
  const a2 = bswap(load<u64>(bytes, 8))
  const a3 = bswap(load<u64>(bytes))
  store<u64>(out, a0)
  store<u64>(out, a1, 8)
  store<u64>(out, a2, 16)
  store<u64>(out, a3, 24)
}

/** Writes 32 big-endian bytes. */
@inline
export function writeBytes(bytes: usize, a: usize): void {
  const a0 = bswap(load<u64>(a))
  const a1 = bswap(load<u64>(a, 8))
  const a2 = bswap(load<u64>(a, 16))
  const a3 = bswap(load<u64>(a, 24))
  store<u64>(bytes, a3)
  store<u64>(bytes, a2, 8)
  store<u64>(bytes, a1, 16)
  store<u64>(bytes, a0, 24)
}

/** The word of a 20-byte address. */
@inline
export function readAddress(out: usize, address: usize): void {
  store<u64>(out, bswap(load<u64>(address, 12)))
  store<u64>(out, bswap(load<u64>(address, 4)), 8)
  store<u64>(out, u64(bswap(load<u32>(address))), 16)
  store<u64>(out, 0, 24)
}

/** The low 20 bytes of a word, as an address. */
@inline
export function writeAddress(address: usize, a: usize): void {
  store<u64>(address, bswap(load<u64>(a)), 12)
  store<u64>(address, bswap(load<u64>(a, 8)), 4)
  store<u32>(address, bswap(u32(load<u64>(a, 16))))
}

/** Returns the number of bits up to the highest one set. */
export function bitLength(a: usize): u32 {
  const a3 = load<u64>(a, 24)
  if (a3 != 0) return 256 - u32(clz(a3))
  const a2 = load<u64>(a, 16)
  if (a2 != 0) return 192 - u32(clz(a2))
  const a1 = load<u64>(a, 8)
  if (a1 != 0) return 128 - u32(clz(a1))
  return 64 - u32(clz(load<u64>(a)))
}

/** Returns true if exactly one bit is set. */
@inline
export function isPowerOfTwo(a: usize): bool {
  const ones = popcnt(load<u64>(a)) + popcnt(load<u64>(a, 8)) + popcnt(load<u64>(a, 16))
  return ones + popcnt(load<u64>(a, 24)) == 1
}
