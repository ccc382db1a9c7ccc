/** SHA-256 (FIPS 180-4). */

const BLOCK_SIZE: u32 = 64

const STATE: usize = memory.data(32)
/** The message schedule: sixteen words of the block and 48 made from them, plus the rounds' constants. */
const SCHEDULE: usize = memory.data(256, 16)
/** The padded end of the message. */
const TAIL: usize = memory.data(128)

const INITIAL: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])

const ROUND_CONSTANTS: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])

/**
 * Writes the 32-byte hash of `length` bytes at `data` to `out`, which may lie inside the input.
 * Scratch: STATE, SCHEDULE, TAIL.
 */
export function sha256(data: usize, length: u32, out: usize): void {
  memory.copy(STATE, INITIAL, 32)
  const end = data + (length & ~(BLOCK_SIZE - 1))
  for (; data < end; data += BLOCK_SIZE) compress(data)

  // The rest, 0x80, zeros and the length in bits fill one block, or two if the rest exceeds 55 bytes.
  const rest = length & (BLOCK_SIZE - 1)
  const padded: u32 = rest < 56 ? BLOCK_SIZE : 2 * BLOCK_SIZE
  memory.copy(TAIL, data, rest)
  memory.fill(TAIL + rest, 0, padded - rest)
  store<u8>(TAIL + rest, 0x80)
  store<u64>(TAIL + padded - 8, bswap<u64>((length as u64) << 3))
  compress(TAIL)
  if (padded > BLOCK_SIZE) compress(TAIL + BLOCK_SIZE)

  for (let i: usize = 0; i < 32; i += 4) store<u32>(out + i, bswap<u32>(load<u32>(STATE + i)))
}

/**
 * The schedule runs sixteen words ahead of the rounds, one vector of four at a time: 420 MB a second. Single words
 * stored and read again reach 245.
 */
function compress(block: usize): void {
  let w0 = readWords(block)
  let w1 = readWords(block + 16)
  let w2 = readWords(block + 32)
  let w3 = readWords(block + 48)
  addConstants(0, w0)
  addConstants(16, w1)
  addConstants(32, w2)
  addConstants(48, w3)

  let a = load<u32>(STATE)
  let b = load<u32>(STATE, 4)
  let c = load<u32>(STATE, 8)
  let d = load<u32>(STATE, 12)
  let e = load<u32>(STATE, 16)
  let f = load<u32>(STATE, 20)
  let g = load<u32>(STATE, 24)
  let h = load<u32>(STATE, 28)
  // Eight rounds per iteration, so that the variables change names instead of values.
  // biome-ignore format: a round a line
  for (let i: usize = 0; i < 256; i += 32) {
    h += mix(i, e, f, g); d += h; h += majority(a, b, c)
    g += mix(i + 4, d, e, f); c += g; g += majority(h, a, b)
    f += mix(i + 8, c, d, e); b += f; f += majority(g, h, a)
    e += mix(i + 12, b, c, d); a += e; e += majority(f, g, h)
    d += mix(i + 16, a, b, c); h += d; d += majority(e, f, g)
    c += mix(i + 20, h, a, b); g += c; c += majority(d, e, f)
    b += mix(i + 24, g, h, a); f += b; b += majority(c, d, e)
    a += mix(i + 28, f, g, h); e += a; a += majority(b, c, d)
    if (i >= 192) continue
    const next = nextWords(w0, w1, w2, w3)
    w0 = w2
    w2 = next
    const last = nextWords(w1, w0, w3, next)
    w1 = w3
    w3 = last
    addConstants(i + 64, w2)
    addConstants(i + 80, w3)
  }
  store<u32>(STATE, load<u32>(STATE) + a)
  store<u32>(STATE, load<u32>(STATE, 4) + b, 4)
  store<u32>(STATE, load<u32>(STATE, 8) + c, 8)
  store<u32>(STATE, load<u32>(STATE, 12) + d, 12)
  store<u32>(STATE, load<u32>(STATE, 16) + e, 16)
  store<u32>(STATE, load<u32>(STATE, 20) + f, 20)
  store<u32>(STATE, load<u32>(STATE, 24) + g, 24)
  store<u32>(STATE, load<u32>(STATE, 28) + h, 28)
}

/** Four big-endian words. */
@inline
function readWords(at: usize): v128 {
  const words = v128.load(at)
  return v128.shuffle<u8>(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
}

@inline
function addConstants(i: usize, words: v128): void {
  v128.store(SCHEDULE + i, i32x4.add(words, v128.load(ROUND_CONSTANTS + i)))
}

/** Computes words t to t + 3 of the schedule from the sixteen before: w0 holds t - 16 to t - 13. */
@inline
function nextWords(w0: v128, w1: v128, w2: v128, w3: v128): v128 {
  const zero = i32x4.splat(0)
  const sum = i32x4.add(
    i32x4.add(w0, sigma0(v128.shuffle<u32>(w0, w1, 1, 2, 3, 4))),
    v128.shuffle<u32>(w2, w3, 1, 2, 3, 4),
  )
  // The last two words depend on the first two
  const first = i32x4.add(sum, v128.shuffle<u32>(sigma1(w3), zero, 2, 3, 4, 5))
  return i32x4.add(first, v128.shuffle<u32>(zero, sigma1(first), 2, 3, 4, 5))
}

@inline
function sigma0(x: v128): v128 {
  return v128.xor(
    v128.xor(
      v128.xor(i32x4.shr_u(x, 7), i32x4.shl(x, 25)),
      v128.xor(i32x4.shr_u(x, 18), i32x4.shl(x, 14)),
    ),
    i32x4.shr_u(x, 3),
  )
}

@inline
function sigma1(x: v128): v128 {
  return v128.xor(
    v128.xor(
      v128.xor(i32x4.shr_u(x, 17), i32x4.shl(x, 15)),
      v128.xor(i32x4.shr_u(x, 19), i32x4.shl(x, 13)),
    ),
    i32x4.shr_u(x, 10),
  )
}

@inline
function mix(i: usize, e: u32, f: u32, g: u32): u32 {
  const sum = rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25)
  return load<u32>(SCHEDULE + i) + (g ^ (e & (f ^ g))) + sum
}

@inline
function majority(a: u32, b: u32, c: u32): u32 {
  const sum = rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22)
  return sum + (((a ^ b) & (b ^ c)) ^ b)
}
