/**
 * BLAKE3, the unkeyed hash mode (specification of 2020, section 2), with its extendable output computed four blocks
 * at a time. Needs SIMD, so only commit.wasm has it.
 */

const CHUNK: u32 = 1024
const BLOCK: u32 = 64

const CHUNK_START: u32 = 1
const CHUNK_END: u32 = 2
const PARENT: u32 = 4
const ROOT: u32 = 8

const INITIAL: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])

/** Byte offsets of the sixteen message words in the order in which each of the seven rounds takes them. */
// biome-ignore format: a round a line
const SCHEDULE: usize = memory.data<u8>([
  0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60,
  8, 24, 12, 40, 28, 0, 16, 52, 4, 44, 48, 20, 36, 56, 60, 32,
  12, 16, 40, 48, 52, 8, 28, 56, 24, 20, 36, 0, 44, 60, 32, 4,
  40, 28, 48, 36, 56, 12, 52, 60, 16, 0, 44, 8, 20, 32, 4, 24,
  48, 52, 36, 44, 60, 40, 56, 32, 28, 8, 20, 12, 0, 4, 24, 16,
  36, 56, 44, 20, 32, 48, 60, 4, 52, 12, 0, 40, 8, 24, 16, 28,
  44, 60, 20, 0, 4, 36, 32, 24, 56, 40, 8, 48, 12, 16, 28, 52,
])

/** Chaining values of finished subtrees; 2^32 bytes of input are 2^22 chunks. */
const STACK: usize = memory.data(23 * 32)

// The root node. Its compression gives the output, block by block with a counter.
const ROOT_CHAIN: usize = memory.data(32)
const ROOT_BLOCK: usize = memory.data(BLOCK)
let rootLength: u32 = 0
let rootFlags: u32 = 0

/** Writes the 32-byte hash of `length` bytes at `data` to `out`. Scratch: all constants above. */
export function blake3(data: usize, length: u32, out: usize): void {
  findRoot(data, length)
  compress(ROOT_CHAIN, ROOT_BLOCK, 0, rootLength, rootFlags, out)
}

/**
 * Expands the hash of `length` bytes at `data` to `blocks` * 64 bytes, a multiple of four blocks. Adds them as
 * little-endian u16 to the values at `out`, or subtracts them. Scratch as above.
 */
export function accumulateBlake3(
  data: usize,
  length: u32,
  out: usize,
  blocks: u32,
  subtract: bool,
): void {
  findRoot(data, length)
  for (let counter: u32 = 0; counter < blocks; counter += 4) {
    expandFour(counter, out + BLOCK * counter, subtract)
  }
}

/** Hashes the whole input except the root node. */
function findRoot(data: usize, length: u32): void {
  let stacked: i32 = 0
  let chunks: u32 = 0
  for (; length > CHUNK; length -= CHUNK) {
    const chain = STACK + 32 * stacked
    chunkChain(data, CHUNK, chunks, chain)
    compress(chain, data + CHUNK - BLOCK, chunks, BLOCK, CHUNK_END, chain)
    data += CHUNK
    chunks++
    stacked++
    // A finished subtree of 2^n chunks joins its left neighbour of the same size.
    for (let total = chunks; (total & 1) == 0; total >>= 1) {
      stacked--
      compress(INITIAL, STACK + 32 * (stacked - 1), 0, BLOCK, PARENT, STACK + 32 * (stacked - 1))
    }
  }

  const rest = length > BLOCK ? (length - 1) & ~(BLOCK - 1) : 0
  chunkChain(data, length, chunks, ROOT_CHAIN)
  memory.copy(ROOT_BLOCK, data + rest, length - rest)
  memory.fill(ROOT_BLOCK + (length - rest), 0, BLOCK - (length - rest))
  rootLength = length - rest
  rootFlags = CHUNK_END | (rest == 0 ? CHUNK_START : 0)
  if (stacked == 0) {
    rootFlags |= ROOT
    return
  }

  // The last chunk joins the subtrees from right to left; the leftmost parent is the root.
  compress(ROOT_CHAIN, ROOT_BLOCK, chunks, rootLength, rootFlags, STACK + 32 * stacked)
  for (; stacked > 1; stacked--) {
    compress(INITIAL, STACK + 32 * (stacked - 1), 0, BLOCK, PARENT, STACK + 32 * (stacked - 1))
  }
  memory.copy(ROOT_CHAIN, INITIAL, 32)
  memory.copy(ROOT_BLOCK, STACK, BLOCK)
  rootLength = BLOCK
  rootFlags = PARENT | ROOT
}

/** out = the chaining value of a chunk before its last block. */
function chunkChain(data: usize, length: u32, chunk: u32, out: usize): void {
  memory.copy(out, INITIAL, 32)
  let flags: u32 = CHUNK_START
  for (; length > BLOCK; length -= BLOCK) {
    compress(out, data, chunk, BLOCK, flags, out)
    data += BLOCK
    flags = 0
  }
}

@inline
function word(block: usize, s: usize, i: usize): u32 {
  return load<u32>(block + load<u8>(s + i))
}

/** The compression function cut off at eight words; `out` may be any of the inputs. */
function compress(
  chain: usize,
  block: usize,
  counter: u32,
  length: u32,
  flags: u32,
  out: usize,
): void {
  let v0 = load<u32>(chain)
  let v1 = load<u32>(chain, 4)
  let v2 = load<u32>(chain, 8)
  let v3 = load<u32>(chain, 12)
  let v4 = load<u32>(chain, 16)
  let v5 = load<u32>(chain, 20)
  let v6 = load<u32>(chain, 24)
  let v7 = load<u32>(chain, 28)
  let v8 = load<u32>(INITIAL)
  let v9 = load<u32>(INITIAL, 4)
  let v10 = load<u32>(INITIAL, 8)
  let v11 = load<u32>(INITIAL, 12)
  let v12 = counter
  let v13: u32 = 0
  let v14 = length
  let v15 = flags
  // biome-ignore format: half of a mixing function a line
  for (let s = SCHEDULE; s < SCHEDULE + 112; s += 16) {
    v0 += v4 + word(block, s, 0); v12 = rotr<u32>(v12 ^ v0, 16); v8 += v12; v4 = rotr<u32>(v4 ^ v8, 12)
    v0 += v4 + word(block, s, 1); v12 = rotr<u32>(v12 ^ v0, 8); v8 += v12; v4 = rotr<u32>(v4 ^ v8, 7)
    v1 += v5 + word(block, s, 2); v13 = rotr<u32>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u32>(v5 ^ v9, 12)
    v1 += v5 + word(block, s, 3); v13 = rotr<u32>(v13 ^ v1, 8); v9 += v13; v5 = rotr<u32>(v5 ^ v9, 7)
    v2 += v6 + word(block, s, 4); v14 = rotr<u32>(v14 ^ v2, 16); v10 += v14; v6 = rotr<u32>(v6 ^ v10, 12)
    v2 += v6 + word(block, s, 5); v14 = rotr<u32>(v14 ^ v2, 8); v10 += v14; v6 = rotr<u32>(v6 ^ v10, 7)
    v3 += v7 + word(block, s, 6); v15 = rotr<u32>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u32>(v7 ^ v11, 12)
    v3 += v7 + word(block, s, 7); v15 = rotr<u32>(v15 ^ v3, 8); v11 += v15; v7 = rotr<u32>(v7 ^ v11, 7)
    v0 += v5 + word(block, s, 8); v15 = rotr<u32>(v15 ^ v0, 16); v10 += v15; v5 = rotr<u32>(v5 ^ v10, 12)
    v0 += v5 + word(block, s, 9); v15 = rotr<u32>(v15 ^ v0, 8); v10 += v15; v5 = rotr<u32>(v5 ^ v10, 7)
    v1 += v6 + word(block, s, 10); v12 = rotr<u32>(v12 ^ v1, 16); v11 += v12; v6 = rotr<u32>(v6 ^ v11, 12)
    v1 += v6 + word(block, s, 11); v12 = rotr<u32>(v12 ^ v1, 8); v11 += v12; v6 = rotr<u32>(v6 ^ v11, 7)
    v2 += v7 + word(block, s, 12); v13 = rotr<u32>(v13 ^ v2, 16); v8 += v13; v7 = rotr<u32>(v7 ^ v8, 12)
    v2 += v7 + word(block, s, 13); v13 = rotr<u32>(v13 ^ v2, 8); v8 += v13; v7 = rotr<u32>(v7 ^ v8, 7)
    v3 += v4 + word(block, s, 14); v14 = rotr<u32>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u32>(v4 ^ v9, 12)
    v3 += v4 + word(block, s, 15); v14 = rotr<u32>(v14 ^ v3, 8); v9 += v14; v4 = rotr<u32>(v4 ^ v9, 7)
  }
  store<u32>(out, v0 ^ v8)
  store<u32>(out, v1 ^ v9, 4)
  store<u32>(out, v2 ^ v10, 8)
  store<u32>(out, v3 ^ v11, 12)
  store<u32>(out, v4 ^ v12, 16)
  store<u32>(out, v5 ^ v13, 20)
  store<u32>(out, v6 ^ v14, 24)
  store<u32>(out, v7 ^ v15, 28)
}

/**
 * Adds output blocks `counter` to `counter + 3` of the root node, one per lane, to the u16 at `out`, or subtracts
 * them.
 */
function expandFour(counter: u32, out: usize, subtract: bool): void {
  let v0 = v128.load32_splat(ROOT_CHAIN)
  let v1 = v128.load32_splat(ROOT_CHAIN, 4)
  let v2 = v128.load32_splat(ROOT_CHAIN, 8)
  let v3 = v128.load32_splat(ROOT_CHAIN, 12)
  let v4 = v128.load32_splat(ROOT_CHAIN, 16)
  let v5 = v128.load32_splat(ROOT_CHAIN, 20)
  let v6 = v128.load32_splat(ROOT_CHAIN, 24)
  let v7 = v128.load32_splat(ROOT_CHAIN, 28)
  let v8 = v128.load32_splat(INITIAL)
  let v9 = v128.load32_splat(INITIAL, 4)
  let v10 = v128.load32_splat(INITIAL, 8)
  let v11 = v128.load32_splat(INITIAL, 12)
  let v12 = i32x4.add(i32x4.splat(counter), i32x4(0, 1, 2, 3))
  let v13 = i32x4.splat(0)
  let v14 = i32x4.splat(rootLength)
  let v15 = i32x4.splat(rootFlags)
  // biome-ignore format: half of a mixing function a line
  for (let s = SCHEDULE; s < SCHEDULE + 112; s += 16) {
    v0 = sum(v0, v4, s, 0); v12 = rotate16(v128.xor(v12, v0)); v8 = i32x4.add(v8, v12); v4 = rotate12(v128.xor(v4, v8))
    v0 = sum(v0, v4, s, 1); v12 = rotate8(v128.xor(v12, v0)); v8 = i32x4.add(v8, v12); v4 = rotate7(v128.xor(v4, v8))
    v1 = sum(v1, v5, s, 2); v13 = rotate16(v128.xor(v13, v1)); v9 = i32x4.add(v9, v13); v5 = rotate12(v128.xor(v5, v9))
    v1 = sum(v1, v5, s, 3); v13 = rotate8(v128.xor(v13, v1)); v9 = i32x4.add(v9, v13); v5 = rotate7(v128.xor(v5, v9))
    v2 = sum(v2, v6, s, 4); v14 = rotate16(v128.xor(v14, v2)); v10 = i32x4.add(v10, v14); v6 = rotate12(v128.xor(v6, v10))
    v2 = sum(v2, v6, s, 5); v14 = rotate8(v128.xor(v14, v2)); v10 = i32x4.add(v10, v14); v6 = rotate7(v128.xor(v6, v10))
    v3 = sum(v3, v7, s, 6); v15 = rotate16(v128.xor(v15, v3)); v11 = i32x4.add(v11, v15); v7 = rotate12(v128.xor(v7, v11))
    v3 = sum(v3, v7, s, 7); v15 = rotate8(v128.xor(v15, v3)); v11 = i32x4.add(v11, v15); v7 = rotate7(v128.xor(v7, v11))
    v0 = sum(v0, v5, s, 8); v15 = rotate16(v128.xor(v15, v0)); v10 = i32x4.add(v10, v15); v5 = rotate12(v128.xor(v5, v10))
    v0 = sum(v0, v5, s, 9); v15 = rotate8(v128.xor(v15, v0)); v10 = i32x4.add(v10, v15); v5 = rotate7(v128.xor(v5, v10))
    v1 = sum(v1, v6, s, 10); v12 = rotate16(v128.xor(v12, v1)); v11 = i32x4.add(v11, v12); v6 = rotate12(v128.xor(v6, v11))
    v1 = sum(v1, v6, s, 11); v12 = rotate8(v128.xor(v12, v1)); v11 = i32x4.add(v11, v12); v6 = rotate7(v128.xor(v6, v11))
    v2 = sum(v2, v7, s, 12); v13 = rotate16(v128.xor(v13, v2)); v8 = i32x4.add(v8, v13); v7 = rotate12(v128.xor(v7, v8))
    v2 = sum(v2, v7, s, 13); v13 = rotate8(v128.xor(v13, v2)); v8 = i32x4.add(v8, v13); v7 = rotate7(v128.xor(v7, v8))
    v3 = sum(v3, v4, s, 14); v14 = rotate16(v128.xor(v14, v3)); v9 = i32x4.add(v9, v14); v4 = rotate12(v128.xor(v4, v9))
    v3 = sum(v3, v4, s, 15); v14 = rotate8(v128.xor(v14, v3)); v9 = i32x4.add(v9, v14); v4 = rotate7(v128.xor(v4, v9))
  }

  v0 = v128.xor(v0, v8)
  v1 = v128.xor(v1, v9)
  v2 = v128.xor(v2, v10)
  v3 = v128.xor(v3, v11)
  accumulateRows(out, v0, v1, v2, v3, subtract)
  v4 = v128.xor(v4, v12)
  v5 = v128.xor(v5, v13)
  v6 = v128.xor(v6, v14)
  v7 = v128.xor(v7, v15)
  accumulateRows(out + 16, v4, v5, v6, v7, subtract)
  v8 = v128.xor(v8, v128.load32_splat(ROOT_CHAIN))
  v9 = v128.xor(v9, v128.load32_splat(ROOT_CHAIN, 4))
  v10 = v128.xor(v10, v128.load32_splat(ROOT_CHAIN, 8))
  v11 = v128.xor(v11, v128.load32_splat(ROOT_CHAIN, 12))
  accumulateRows(out + 32, v8, v9, v10, v11, subtract)
  v12 = v128.xor(v12, v128.load32_splat(ROOT_CHAIN, 16))
  v13 = v128.xor(v13, v128.load32_splat(ROOT_CHAIN, 20))
  v14 = v128.xor(v14, v128.load32_splat(ROOT_CHAIN, 24))
  v15 = v128.xor(v15, v128.load32_splat(ROOT_CHAIN, 28))
  accumulateRows(out + 48, v12, v13, v14, v15, subtract)
}

/** Transposes four words of four blocks: the words of each block become adjacent, blocks 64 bytes apart. */
@inline
function accumulateRows(out: usize, w0: v128, w1: v128, w2: v128, w3: v128, subtract: bool): void {
  const low01 = v128.shuffle<i32>(w0, w1, 0, 4, 1, 5)
  const high01 = v128.shuffle<i32>(w0, w1, 2, 6, 3, 7)
  const low23 = v128.shuffle<i32>(w2, w3, 0, 4, 1, 5)
  const high23 = v128.shuffle<i32>(w2, w3, 2, 6, 3, 7)
  accumulate(out, v128.shuffle<i64>(low01, low23, 0, 2), subtract)
  accumulate(out + 64, v128.shuffle<i64>(low01, low23, 1, 3), subtract)
  accumulate(out + 128, v128.shuffle<i64>(high01, high23, 0, 2), subtract)
  accumulate(out + 192, v128.shuffle<i64>(high01, high23, 1, 3), subtract)
}

@inline
function accumulate(out: usize, limbs: v128, subtract: bool): void {
  const old = v128.load(out)
  v128.store(out, subtract ? i16x8.sub(old, limbs) : i16x8.add(old, limbs))
}

@inline
function sum(a: v128, b: v128, s: usize, i: usize): v128 {
  return i32x4.add(i32x4.add(a, b), v128.load32_splat(ROOT_BLOCK + load<u8>(s + i)))
}

@inline
function rotate16(x: v128): v128 {
  return v128.shuffle<i16>(x, x, 1, 0, 3, 2, 5, 4, 7, 6)
}

@inline
function rotate8(x: v128): v128 {
  return v128.shuffle<i8>(x, x, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)
}

@inline
function rotate12(x: v128): v128 {
  return v128.or(i32x4.shr_u(x, 12), i32x4.shl(x, 20))
}

@inline
function rotate7(x: v128): v128 {
  return v128.or(i32x4.shr_u(x, 7), i32x4.shl(x, 25))
}
