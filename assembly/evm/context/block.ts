import { NEED_BLOCK_HASH } from '../../generated/status'
import { BLOCK, BLOCK_HASHES, NEED } from '../../layout'
import { copyWord, setWord } from '../../u256/word'
import { pauseFor } from '../signal'

/** The block that transactions run in, as the host wrote it at BLOCK. Words are little-endian limbs. */
export const BLOCK_REVISION: usize = BLOCK
/** Bit 0: the base fee goes to the block's beneficiary (COINBASE). */
export const BLOCK_FLAGS: usize = BLOCK + 4
export const NUMBER: usize = BLOCK + 8
export const TIMESTAMP: usize = BLOCK + 16
export const GAS_LIMIT: usize = BLOCK + 24
export const HASH_SEED: usize = BLOCK + 32
/** First and last of the low addresses whose calls the host answers; 0, 0 if there are none. */
export const HOST_FIRST: usize = BLOCK + 40
export const HOST_LAST: usize = BLOCK + 44
/** Index of the block's first message in its access list (EIP-7928). */
export const ACCESS_INDEX: usize = BLOCK + 52
/** EIP-7843. */
export const SLOT_NUMBER: usize = BLOCK + 56
export const CHAIN_ID: usize = BLOCK + 64
export const BASE_FEE: usize = BLOCK + 96
export const BLOB_BASE_FEE: usize = BLOCK + 128
export const PREV_RANDAO: usize = BLOCK + 160
export const COINBASE: usize = BLOCK + 192
/** Number of rows of MOVED: only simulations move precompiles. */
export const MOVED_COUNT: usize = BLOCK + 48
/** Address (20 bytes), and the id of the precompile there, or 0 if there is none. */
const MOVED: usize = BLOCK + 224
const MOVED_ROW: usize = 24

/** Answers of the host: number + 1 (u64) and the hash as a word, at number mod 256. */
const ROW: usize = 40

/**
 * Returns the id of the precompile that a simulation has moved to an address, 0 if it has moved the precompile away,
 * else -1.
 */
export function movedId(address: usize): i32 {
  const end = MOVED + usize(load<u32>(MOVED_COUNT)) * MOVED_ROW
  for (let row = MOVED; row < end; row += MOVED_ROW) {
    if (memory.compare(row, address, 20) == 0) return load<i32>(row, 20)
  }
  return -1
}

export function clearBlockHashes(): void {
  memory.fill(BLOCK_HASHES, 0, 256 * ROW)
}

/** Reads the hash of one of the last 256 blocks as a word. Returns false after asking the host. */
export function readBlockHash(out: usize, number: u64): bool {
  const current = load<u64>(NUMBER)
  if (number >= current || current - number > 256) {
    setWord(out, 0)
    return true
  }
  const row = BLOCK_HASHES + usize(number & 255) * ROW
  if (load<u64>(row) != number + 1) {
    store<u64>(NEED, number)
    pauseFor(NEED_BLOCK_HASH)
    return false
  }
  copyWord(out, row + 8)
  return true
}

/** Adds the hash that the host answered with; `length` is 0 (unknown: zero) or 32. */
export function insertBlockHash(hash: usize, length: i32): bool {
  if (length != 0 && length != 32) return false
  const number = load<u64>(NEED)
  const row = BLOCK_HASHES + usize(number & 255) * ROW
  store<u64>(row, number + 1)
  setWord(row + 8, 0)
  if (length == 32) {
    store<u64>(row, bswap(load<u64>(hash, 24)), 8)
    store<u64>(row, bswap(load<u64>(hash, 16)), 16)
    store<u64>(row, bswap(load<u64>(hash, 8)), 24)
    store<u64>(row, bswap(load<u64>(hash)), 32)
  }
  return true
}
