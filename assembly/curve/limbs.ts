/** 256-bit numbers as nine 29-bit limbs in u32 words, little-endian: the layout of generated/. */

export const LIMBS: i32 = 9
export const LIMB_BITS: u32 = 29
const LIMB_MASK: u32 = (1 << LIMB_BITS) - 1

/** Bytes of a number in scratch memory: nine limbs, padded by four bytes to eight-byte alignment. */
export const ELEMENT: i32 = 40

const WORDS: usize = memory.data(32)

@inline
export function copy(out: usize, a: usize): void {
  store<u64>(out, load<u64>(a))
  store<u64>(out, load<u64>(a, 8), 8)
  store<u64>(out, load<u64>(a, 16), 16)
  store<u64>(out, load<u64>(a, 24), 24)
  store<u32>(out, load<u32>(a, 32), 32)
}

export function setSmall(out: usize, value: u32): void {
  memory.fill(out, 0, 36)
  store<u32>(out, value)
}

/** Requires limbs of at most 29 bits, as the three below do. */
export function isZero(a: usize): bool {
  let bits: u32 = 0
  for (let i = 0; i < LIMBS; i++) bits |= load<u32>(a + 4 * i)
  return bits == 0
}

export function isLess(a: usize, b: usize): bool {
  for (let i = LIMBS - 1; i >= 0; i--) {
    const x = load<u32>(a + 4 * i)
    const y = load<u32>(b + 4 * i)
    if (x != y) return x < y
  }
  return false
}

export function add(out: usize, a: usize, b: usize): void {
  let carry: u32 = 0
  for (let i = 0; i < LIMBS; i++) {
    carry += load<u32>(a + 4 * i) + load<u32>(b + 4 * i)
    store<u32>(out + 4 * i, carry & LIMB_MASK)
    carry >>= LIMB_BITS
  }
}

/** out = a - b; a must not be below b. */
export function subtract(out: usize, a: usize, b: usize): void {
  let borrow: i32 = 0
  for (let i = 0; i < LIMBS; i++) {
    borrow += load<i32>(a + 4 * i) - load<i32>(b + 4 * i)
    store<u32>(out + 4 * i, borrow & LIMB_MASK)
    borrow >>= LIMB_BITS
  }
}

/** Subtracts the modulus once if `a` is not below it. */
export function reduceOnce(a: usize, modulus: usize): void {
  if (!isLess(a, modulus)) subtract(a, a, modulus)
}

/** Propagates carries until every limb except the top one has 29 bits. */
export function carry(a: usize): void {
  let rest: u32 = 0
  for (let i = 0; i < LIMBS - 1; i++) {
    rest += load<u32>(a + 4 * i)
    store<u32>(a + 4 * i, rest & LIMB_MASK)
    rest >>= LIMB_BITS
  }
  store<u32>(a, load<u32>(a, 32) + rest, 32)
}

/** Repacks `count` words of `bits` bits into `outCount` words of `outBits` bits, both little-endian. */
export function repack(
  out: usize,
  outBits: u32,
  outCount: i32,
  words: usize,
  bits: u32,
  count: i32,
): void {
  const mask = ((1 as u64) << outBits) - 1
  const end = words + 4 * count
  let pool: u64 = 0
  let pooled: u32 = 0
  for (let i = 0; i < outCount; i++) {
    while (pooled < outBits && words < end) {
      pool |= (load<u32>(words) as u64) << pooled
      pooled += bits
      words += 4
    }
    store<u32>(out + 4 * i, (pool & mask) as u32)
    pool >>= outBits
    pooled = pooled > outBits ? pooled - outBits : 0
  }
}

/** Reads 32 big-endian bytes. */
export function fromBytes(out: usize, bytes: usize): void {
  for (let i: usize = 0; i < 32; i += 4)
    store<u32>(WORDS + i, bswap<u32>(load<u32>(bytes + 28 - i)))
  repack(out, LIMB_BITS, LIMBS, WORDS, 32, 8)
}

/** Writes 32 big-endian bytes. */
export function toBytes(bytes: usize, a: usize): void {
  repack(WORDS, 32, 8, a, LIMB_BITS, LIMBS)
  for (let i: usize = 0; i < 32; i += 4)
    store<u32>(bytes + 28 - i, bswap<u32>(load<u32>(WORDS + i)))
}
