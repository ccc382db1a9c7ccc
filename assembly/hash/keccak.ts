/** Keccak-256 with the original 0x01 padding, as Ethereum uses it (FIPS 202 pads SHA-3 with 0x06). */

const RATE: u32 = 136

/**
 * The sponge: lane (x, y) is the little-endian u64 at 8 * (x + 5 * y). Lanes 1, 2, 8, 12, 17 and 20 are stored
 * complemented, which leaves chi 5 of its 25 negations (Keccak implementation overview, 2.2).
 */
const STATE: usize = memory.data(200, 16)
/** The state after every other round. */
const OTHER: usize = memory.data(200, 16)

const ROUND_CONSTANTS: usize = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
  0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
  0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
  0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
  0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])

/**
 * Writes the 32-byte hash of `length` bytes at `data` to `out`, which may lie inside the input.
 * Scratch: STATE, OTHER.
 */
export function keccak256(data: usize, length: u32, out: usize): void {
  reset()
  while (length >= RATE) {
    for (let i: usize = 0; i < RATE; i += 8) absorb(i, load<u64>(data + i))
    permute()
    data += RATE
    length -= RATE
  }

  const words: usize = length & ~7
  for (let i: usize = 0; i < words; i += 8) absorb(i, load<u64>(data + i))
  let last: u64 = 0
  for (let i: usize = length; i > words; i--) last = (last << 8) | load<u8>(data + i - 1)
  absorb(words, last | ((1 as u64) << ((length & 7) << 3)))
  absorb(RATE - 8, 0x8000000000000000)
  permute()

  // Lanes 1 and 2 of the digest are complemented.
  store<u64>(out, load<u64>(STATE))
  store<u64>(out, ~load<u64>(STATE, 8), 8)
  store<u64>(out, ~load<u64>(STATE, 16), 16)
  store<u64>(out, load<u64>(STATE, 24), 24)
}

function reset(): void {
  // memory.fill takes longer.
  for (let lanes = STATE; lanes < STATE + 192; lanes += 16) v128.store(lanes, i64x2.splat(0))
  store<u64>(STATE, 0, 192)
  store<u64>(STATE, -1, 8)
  store<u64>(STATE, -1, 16)
  store<u64>(STATE, -1, 64)
  store<u64>(STATE, -1, 96)
  store<u64>(STATE, -1, 136)
  store<u64>(STATE, -1, 160)
}

@inline
function absorb(offset: usize, lane: u64): void {
  store<u64>(STATE + offset, load<u64>(STATE + offset) ^ lane)
}

/** Keccak-f[1600]: 310 ns. */
function permute(): void {
  for (let i: usize = 0; i < 24 * 8; i += 16) {
    runRound(STATE, OTHER, load<u64>(ROUND_CONSTANTS + i))
    runRound(OTHER, STATE, load<u64>(ROUND_CONSTANTS + i, 8))
  }
}

/**
 * One round from memory to memory: 25 lanes in locals exceed a machine's registers and cost 360 ns per permutation.
 * `c` and `d` are theta. Of each plane of five lanes, `b` is rho and pi, `n` a complemented `b`, and the stored value
 * chi and iota.
 */
@inline
function runRound(from: usize, to: usize, constant: u64): void {
  const c0 = lane(from, 0) ^ lane(from, 5) ^ lane(from, 10) ^ lane(from, 15) ^ lane(from, 20)
  const c1 = lane(from, 1) ^ lane(from, 6) ^ lane(from, 11) ^ lane(from, 16) ^ lane(from, 21)
  const c2 = lane(from, 2) ^ lane(from, 7) ^ lane(from, 12) ^ lane(from, 17) ^ lane(from, 22)
  const c3 = lane(from, 3) ^ lane(from, 8) ^ lane(from, 13) ^ lane(from, 18) ^ lane(from, 23)
  const c4 = lane(from, 4) ^ lane(from, 9) ^ lane(from, 14) ^ lane(from, 19) ^ lane(from, 24)
  const d0 = c4 ^ rotl<u64>(c1, 1)
  const d1 = c0 ^ rotl<u64>(c2, 1)
  const d2 = c1 ^ rotl<u64>(c3, 1)
  const d3 = c2 ^ rotl<u64>(c4, 1)
  const d4 = c3 ^ rotl<u64>(c0, 1)

  const b0 = lane(from, 0) ^ d0
  const b1 = rotl<u64>(lane(from, 6) ^ d1, 44)
  const b2 = rotl<u64>(lane(from, 12) ^ d2, 43)
  const b3 = rotl<u64>(lane(from, 18) ^ d3, 21)
  const b4 = rotl<u64>(lane(from, 24) ^ d4, 14)
  setLane(to, 0, b0 ^ (b1 | b2) ^ constant)
  setLane(to, 1, b1 ^ (~b2 | b3))
  setLane(to, 2, b2 ^ (b3 & b4))
  setLane(to, 3, b3 ^ (b4 | b0))
  setLane(to, 4, b4 ^ (b0 & b1))

  const b5 = rotl<u64>(lane(from, 3) ^ d3, 28)
  const b6 = rotl<u64>(lane(from, 9) ^ d4, 20)
  const b7 = rotl<u64>(lane(from, 10) ^ d0, 3)
  const b8 = rotl<u64>(lane(from, 16) ^ d1, 45)
  const b9 = rotl<u64>(lane(from, 22) ^ d2, 61)
  setLane(to, 5, b5 ^ (b6 | b7))
  setLane(to, 6, b6 ^ (b7 & b8))
  setLane(to, 7, b7 ^ (b8 | ~b9))
  setLane(to, 8, b8 ^ (b9 | b5))
  setLane(to, 9, b9 ^ (b5 & b6))

  const b10 = rotl<u64>(lane(from, 1) ^ d1, 1)
  const b11 = rotl<u64>(lane(from, 7) ^ d2, 6)
  const b12 = rotl<u64>(lane(from, 13) ^ d3, 25)
  const b13 = rotl<u64>(lane(from, 19) ^ d4, 8)
  const b14 = rotl<u64>(lane(from, 20) ^ d0, 18)
  const n13 = ~b13
  setLane(to, 10, b10 ^ (b11 | b12))
  setLane(to, 11, b11 ^ (b12 & b13))
  setLane(to, 12, b12 ^ (n13 & b14))
  setLane(to, 13, n13 ^ (b14 | b10))
  setLane(to, 14, b14 ^ (b10 & b11))

  const b15 = rotl<u64>(lane(from, 4) ^ d4, 27)
  const b16 = rotl<u64>(lane(from, 5) ^ d0, 36)
  const b17 = rotl<u64>(lane(from, 11) ^ d1, 10)
  const b18 = rotl<u64>(lane(from, 17) ^ d2, 15)
  const b19 = rotl<u64>(lane(from, 23) ^ d3, 56)
  const n18 = ~b18
  setLane(to, 15, b15 ^ (b16 & b17))
  setLane(to, 16, b16 ^ (b17 | b18))
  setLane(to, 17, b17 ^ (n18 | b19))
  setLane(to, 18, n18 ^ (b19 & b15))
  setLane(to, 19, b19 ^ (b15 | b16))

  const b20 = rotl<u64>(lane(from, 2) ^ d2, 62)
  const b21 = rotl<u64>(lane(from, 8) ^ d3, 55)
  const b22 = rotl<u64>(lane(from, 14) ^ d4, 39)
  const b23 = rotl<u64>(lane(from, 15) ^ d0, 41)
  const b24 = rotl<u64>(lane(from, 21) ^ d1, 2)
  const n21 = ~b21
  setLane(to, 20, b20 ^ (n21 & b22))
  setLane(to, 21, n21 ^ (b22 | b23))
  setLane(to, 22, b22 ^ (b23 & b24))
  setLane(to, 23, b23 ^ (b24 | b20))
  setLane(to, 24, b24 ^ (b20 & b21))
}

@inline
function lane(state: usize, index: usize): u64 {
  return load<u64>(state + 8 * index)
}

@inline
function setLane(state: usize, index: usize, value: u64): void {
  store<u64>(state + 8 * index, value)
}
