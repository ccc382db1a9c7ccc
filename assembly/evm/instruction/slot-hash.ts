import { keccak256 } from '../../hash/keccak'
import { copyWord } from '../../u256/word'

/**
 * Cache of the hashes of 64-byte inputs: contracts find a mapping entry by hashing its key and the mapping's slot,
 * and repeat the same few. An entry is the 64 bytes and their hash, at an index computed from both halves. A hash of
 * zeros marks an empty entry.
 */
const PLACES_BITS: u64 = 9
const ENTRY: usize = 96
const ENTRIES: usize = memory.data(512 * 96)

function isEntryOf(entry: usize, data: usize): bool {
  for (let i: usize = 0; i < 64; i += 16) {
    if (load<u64>(entry + i) != load<u64>(data + i)) return false
    if (load<u64>(entry + i, 8) != load<u64>(data + i, 8)) return false
  }
  return load<u64>(entry, 64) != 0
}

/** Returns the address of the hash of the 64 bytes at `data`, valid until the next call. */
export function hashOfSlot(data: usize): usize {
  const key = (load<u64>(data, 24) ^ rotl<u64>(load<u64>(data, 56), 17)) * 0x9e3779b97f4a7c15
  const entry = ENTRIES + usize(key >> (64 - PLACES_BITS)) * ENTRY
  if (!isEntryOf(entry, data)) {
    copyWord(entry, data)
    copyWord(entry + 32, data + 32)
    keccak256(data, 64, entry + 64)
  }
  return entry + 64
}
