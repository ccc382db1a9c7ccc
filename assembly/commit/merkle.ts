/** The simple Merkle tree of CometBFT (RFC 6962, section 2.1, over SHA-256). */
import { sha256 } from '../hash/sha256'

const HASH: u32 = 32

/** Roots of the complete subtrees so far, largest first; 2^32 leaves make 32. */
const STACK: usize = memory.data(33 * HASH)
/** An inner node to hash: 0x01, left, right. */
const INNER: usize = memory.data(1 + 2 * HASH)

/**
 * Writes the root over the packed items (LE32 length, then the bytes) to `out`; without items, SHA-256 of the empty
 * string. Returns the number of items, or -1 if one runs past the end or is 16 MiB or longer.
 */
export function merkleRoot(items: usize, length: u32, out: usize): i32 {
  let count: u32 = 0
  let stacked = 0
  for (let left = length; left > 0; ) {
    if (left < 4) return -1
    const itemLength = load<u32>(items)
    if (itemLength > left - 4 || itemLength >> 24 != 0) return -1
    // The top byte of the length is zero, which is also the prefix of a leaf.
    sha256(items + 3, itemLength + 1, STACK + HASH * stacked)
    stacked++
    count++
    for (let total = count; (total & 1) == 0; total >>= 1) join(--stacked)
    items += 4 + itemLength
    left -= 4 + itemLength
  }
  if (count == 0) sha256(items, 0, STACK)
  // The remaining subtrees join from the right: the split is at the largest power of two.
  while (stacked > 1) join(--stacked)
  memory.copy(out, STACK, HASH)
  return count
}

/** Replaces entries `right - 1` and `right` by their parent. */
function join(right: i32): void {
  store<u8>(INNER, 1)
  memory.copy(INNER + 1, STACK + HASH * (right - 1), 2 * HASH)
  sha256(INNER, 1 + 2 * HASH, STACK + HASH * (right - 1))
}
