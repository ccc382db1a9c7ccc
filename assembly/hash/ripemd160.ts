/** RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996). */

const BLOCK_SIZE: u32 = 64

const STATE: usize = memory.data(20)
/** The padded end of the message. */
const TAIL: usize = memory.data(128)

const INITIAL: usize = memory.data<u32>([
  0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
])

/** For each step of each line: which message word is added, and how far the sum is rotated. */
// biome-ignore format: a round a line
const LEFT_WORDS: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8,
  3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12,
  1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2,
  4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13,
])
// biome-ignore format: a round a line
const LEFT_SHIFTS: usize = memory.data<u8>([
  11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8,
  7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
  11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5,
  11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
  9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6,
])
// biome-ignore format: a round a line
const RIGHT_WORDS: usize = memory.data<u8>([
  5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12,
  6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
  15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13,
  8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
  12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11,
])
// biome-ignore format: a round a line
const RIGHT_SHIFTS: usize = memory.data<u8>([
  8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6,
  9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
  9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5,
  15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
  8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11,
])
const LEFT_CONSTANTS: usize = memory.data<u32>([
  0x00000000, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e,
])
const RIGHT_CONSTANTS: usize = memory.data<u32>([
  0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0x00000000,
])

/** The five words of a finished line. */
const LINE: usize = memory.data(20)
const OTHER_LINE: usize = memory.data(20)

/**
 * Writes the 20-byte hash of `length` bytes at `data` to `out`, which may lie inside the input.
 * Scratch: STATE, TAIL, LINE, OTHER_LINE.
 */
export function ripemd160(data: usize, length: u32, out: usize): void {
  memory.copy(STATE, INITIAL, 20)
  const end = data + (length & ~(BLOCK_SIZE - 1))
  for (; data < end; data += BLOCK_SIZE) compress(data)

  const rest = length & (BLOCK_SIZE - 1)
  const padded: u32 = rest < 56 ? BLOCK_SIZE : 2 * BLOCK_SIZE
  memory.copy(TAIL, data, rest)
  memory.fill(TAIL + rest, 0, padded - rest)
  store<u8>(TAIL + rest, 0x80)
  store<u64>(TAIL + padded - 8, (length as u64) << 3)
  compress(TAIL)
  if (padded > BLOCK_SIZE) compress(TAIL + BLOCK_SIZE)

  memory.copy(out, STATE, 20)
}

function compress(block: usize): void {
  runLine(LINE, block, LEFT_WORDS, LEFT_SHIFTS, LEFT_CONSTANTS, 0)
  // The right line applies the same five functions in reverse order.
  runLine(OTHER_LINE, block, RIGHT_WORDS, RIGHT_SHIFTS, RIGHT_CONSTANTS, 4)

  const first = load<u32>(STATE, 4) + load<u32>(LINE, 8) + load<u32>(OTHER_LINE, 12)
  store<u32>(STATE, load<u32>(STATE, 8) + load<u32>(LINE, 12) + load<u32>(OTHER_LINE, 16), 4)
  store<u32>(STATE, load<u32>(STATE, 12) + load<u32>(LINE, 16) + load<u32>(OTHER_LINE), 8)
  store<u32>(STATE, load<u32>(STATE, 16) + load<u32>(LINE) + load<u32>(OTHER_LINE, 4), 12)
  store<u32>(STATE, load<u32>(STATE) + load<u32>(LINE, 4) + load<u32>(OTHER_LINE, 8), 16)
  store<u32>(STATE, first)
}

function runLine(
  out: usize,
  block: usize,
  words: usize,
  shifts: usize,
  constants: usize,
  firstFunction: i32,
): void {
  let a = load<u32>(STATE)
  let b = load<u32>(STATE, 4)
  let c = load<u32>(STATE, 8)
  let d = load<u32>(STATE, 12)
  let e = load<u32>(STATE, 16)
  for (let round = 0; round < 5; round++) {
    const which = firstFunction == 0 ? round : firstFunction - round
    const constant = load<u32>(constants + 4 * round)
    for (let i = 16 * round; i < 16 * round + 16; i++) {
      const word = load<u32>(block + 4 * load<u8>(words + i))
      const sum = a + combine(which, b, c, d) + word + constant
      a = e
      e = d
      d = rotl<u32>(c, 10)
      c = b
      b = rotl<u32>(sum, load<u8>(shifts + i)) + a
    }
  }
  store<u32>(out, a)
  store<u32>(out, b, 4)
  store<u32>(out, c, 8)
  store<u32>(out, d, 12)
  store<u32>(out, e, 16)
}

@inline
function combine(which: i32, x: u32, y: u32, z: u32): u32 {
  switch (which) {
    case 0:
      return x ^ y ^ z
    case 1:
      return (x & y) | (~x & z)
    case 2:
      return (x | ~y) ^ z
    case 3:
      return (x & z) | (y & ~z)
    default:
      return x ^ (y | ~z)
  }
}
