/** Node hashes of IAVL trees: SHA-256 over the fields of a node, keys of inner nodes left out. */
import { sha256 } from '../hash/sha256'

const HASH: u32 = 32

/** Longest key of a leaf: the limit of the reference store. */
export const MAX_KEY: u32 = 128 * 1024

/** The fields of the node to hash. */
const NODE: usize = memory.data(64 + MAX_KEY + HASH)

/** An inner node in the input: height u8, size u64, version u64, left and right hash. */
const INNER: u32 = 17 + 2 * HASH

/**
 * Hashes packed leaves to consecutive 32-byte hashes at `out`. Returns the number of leaves, or -1 if one runs past
 * the end or has a key longer than MAX_KEY. A leaf is version u64, LE32 key length, key, LE32 value length, value.
 */
export function hashLeaves(leaves: usize, length: u32, out: usize): i32 {
  let count = 0
  for (let left = length; left > 0; count++) {
    if (left < 16) return -1
    const version = load<u64>(leaves)
    const keyLength = load<u32>(leaves, 8)
    if (keyLength > left - 16 || keyLength > MAX_KEY) return -1
    const value = leaves + 16 + keyLength
    const valueLength = load<u32>(value - 4)
    if (valueLength > left - 16 - keyLength) return -1

    // A leaf has height 0 and size 1.
    let end = writeVersion(NODE, 0, 1, version)
    end = writeUnsigned(end, keyLength)
    memory.copy(end, leaves + 12, keyLength)
    end = writeUnsigned(end + keyLength, HASH)
    sha256(value, valueLength, end)
    sha256(NODE, ((end - NODE) as u32) + HASH, out)

    out += HASH
    leaves = value + valueLength
    left -= 16 + keyLength + valueLength
  }
  return count
}

/**
 * Hashes `length` bytes of packed inner nodes (see INNER). Returns their number, or -1 if the last one is incomplete.
 */
export function hashInnerNodes(nodes: usize, length: u32, out: usize): i32 {
  if (length % INNER != 0) return -1
  for (const end = nodes + length; nodes < end; nodes += INNER) {
    let field = writeVersion(NODE, load<u8>(nodes), load<u64>(nodes, 1), load<u64>(nodes, 9))
    field = writeUnsigned(field, HASH)
    memory.copy(field, nodes + 17, HASH)
    field = writeUnsigned(field + HASH, HASH)
    memory.copy(field, nodes + 17 + HASH, HASH)
    sha256(NODE, ((field - NODE) as u32) + HASH, out)
    out += HASH
  }
  return length / INNER
}

/** Writes the three numbers that every node begins with and returns the address after them. */
function writeVersion(out: usize, height: u64, size: u64, version: u64): usize {
  return writeUnsigned(writeUnsigned(writeUnsigned(out, height << 1), size << 1), version << 1)
}

/** LEB128. Signed fields are zig-zag encoded, which doubles non-negative numbers. */
function writeUnsigned(out: usize, value: u64): usize {
  for (; value > 0x7f; value >>= 7) store<u8>(out++, (value as u8) | 0x80)
  store<u8>(out, value as u8)
  return out + 1
}
