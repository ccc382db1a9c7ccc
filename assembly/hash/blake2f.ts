/** The compression function F of BLAKE2b (RFC 7693, 3.2) with a variable number of rounds (EIP-152). */

const INITIAL: usize = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
])

/** Number of the message word that each of the sixteen additions of a round takes; the ten rows repeat. */
// biome-ignore format: a round a line
const PERMUTATIONS: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
  11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
  7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
  9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
  2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
  12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
  13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
  6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
  10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
])

/** The message in the order of every row, so that a round reads sequentially. */
const SCHEDULE: usize = memory.data(1280)
/** The sixteen words v between two slices of rounds. */
const VECTOR: usize = memory.data(128)

/**
 * Rounds per call of `mix`, in whole rows. A runtime that starts with baseline code switches to optimized code at
 * function entry. On V8, 2^32 rounds took 570 s in one loop and take 52 s in slices.
 */
const SLICE: u32 = 10_000

/**
 * Writes F(h, m, t, f) to `out`: `state` is h (eight u64), `message` m (sixteen), `offset` t (two), all
 * little-endian. `out` may be `state`. 13 ns per round. Scratch: SCHEDULE, VECTOR.
 */
export function blake2f(
  rounds: u32,
  state: usize,
  message: usize,
  offset: usize,
  last: bool,
  out: usize,
): void {
  for (let i: usize = 0; i < 160; i++) {
    store<u64>(SCHEDULE + 8 * i, load<u64>(message + 8 * load<u8>(PERMUTATIONS + i)))
  }
  memory.copy(VECTOR, state, 64)
  memory.copy(VECTOR + 64, INITIAL, 64)
  store<u64>(VECTOR, load<u64>(INITIAL, 32) ^ load<u64>(offset), 96)
  store<u64>(VECTOR, load<u64>(INITIAL, 40) ^ load<u64>(offset, 8), 104)
  if (last) store<u64>(VECTOR, ~load<u64>(INITIAL, 48), 112)

  for (; rounds > SLICE; rounds -= SLICE) mix(SLICE)
  mix(rounds)

  for (let i: usize = 0; i < 64; i += 8) {
    const mixed = load<u64>(VECTOR + i) ^ load<u64>(VECTOR + i, 64)
    store<u64>(out + i, load<u64>(state + i) ^ mixed)
  }
}

/** Runs rounds on VECTOR, from the first row on. */
function mix(rounds: u32): void {
  let v0 = load<u64>(VECTOR)
  let v1 = load<u64>(VECTOR, 8)
  let v2 = load<u64>(VECTOR, 16)
  let v3 = load<u64>(VECTOR, 24)
  let v4 = load<u64>(VECTOR, 32)
  let v5 = load<u64>(VECTOR, 40)
  let v6 = load<u64>(VECTOR, 48)
  let v7 = load<u64>(VECTOR, 56)
  let v8 = load<u64>(VECTOR, 64)
  let v9 = load<u64>(VECTOR, 72)
  let v10 = load<u64>(VECTOR, 80)
  let v11 = load<u64>(VECTOR, 88)
  let v12 = load<u64>(VECTOR, 96)
  let v13 = load<u64>(VECTOR, 104)
  let v14 = load<u64>(VECTOR, 112)
  let v15 = load<u64>(VECTOR, 120)

  let m = SCHEDULE
  // biome-ignore format: half of a mixing function a line
  for (let round: u32 = 0; round < rounds; round++) {
    v0 += v4 + load<u64>(m, 0); v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24)
    v0 += v4 + load<u64>(m, 8); v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 63)
    v1 += v5 + load<u64>(m, 16); v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24)
    v1 += v5 + load<u64>(m, 24); v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63)
    v2 += v6 + load<u64>(m, 32); v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24)
    v2 += v6 + load<u64>(m, 40); v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 63)
    v3 += v7 + load<u64>(m, 48); v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24)
    v3 += v7 + load<u64>(m, 56); v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63)
    v0 += v5 + load<u64>(m, 64); v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24)
    v0 += v5 + load<u64>(m, 72); v15 = rotr<u64>(v15 ^ v0, 16); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 63)
    v1 += v6 + load<u64>(m, 80); v12 = rotr<u64>(v12 ^ v1, 32); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 24)
    v1 += v6 + load<u64>(m, 88); v12 = rotr<u64>(v12 ^ v1, 16); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 63)
    v2 += v7 + load<u64>(m, 96); v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24)
    v2 += v7 + load<u64>(m, 104); v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 63)
    v3 += v4 + load<u64>(m, 112); v14 = rotr<u64>(v14 ^ v3, 32); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 24)
    v3 += v4 + load<u64>(m, 120); v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63)
    m += 128
    if (m == SCHEDULE + 1280) m = SCHEDULE
  }

  store<u64>(VECTOR, v0)
  store<u64>(VECTOR, v1, 8)
  store<u64>(VECTOR, v2, 16)
  store<u64>(VECTOR, v3, 24)
  store<u64>(VECTOR, v4, 32)
  store<u64>(VECTOR, v5, 40)
  store<u64>(VECTOR, v6, 48)
  store<u64>(VECTOR, v7, 56)
  store<u64>(VECTOR, v8, 64)
  store<u64>(VECTOR, v9, 72)
  store<u64>(VECTOR, v10, 80)
  store<u64>(VECTOR, v11, 88)
  store<u64>(VECTOR, v12, 96)
  store<u64>(VECTOR, v13, 104)
  store<u64>(VECTOR, v14, 112)
  store<u64>(VECTOR, v15, 120)
}
