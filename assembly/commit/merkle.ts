/** The simple Merkle tree of CometBFT (RFC 6962, section 2.1, over SHA-256). */
import { sha256 } from '../hash/sha256'

const HASH: u32 = 32

/** Roots of the complete subtrees so far, largest first; 2^32 leaves make 32. */
const STACK: usize = memory.data(33 * HASH)
/** An inner node as it is hashed: 0x01, left, right. */
const INNER: usize = memory.data(1 + 2 * HASH)

/**
 * Writes the root over the packed items, each LE32 length and bytes, to `out`; SHA-256 of nothing
 * for no items. Items are shorter than 16 MiB. Returns their number, -1 when one breaks this.
 */
export function merkleRoot(items: usize, length: u32, out: usize): i32 {
  let count: u32 = 0
  let stacked = 0
  for (let left = length; left > 0; ) {
    if (left < 4) return -1
    const itemLength = load<u32>(items)
    if (itemLength > left - 4 || itemLength >> 24 != 0) return -1
    // The top byte of the length is zero, and that is the prefix of a leaf.
    sha256(items + 3, itemLength + 1, STACK + HASH * stacked)
    stacked++
    count++
    for (let total = count; (total & 1) == 0; total >>= 1) join(--stacked)
    items += 4 + itemLength
    left -= 4 + itemLength
  }
  if (count == 0) sha256(items, 0, STACK)
  // Subtrees that are left over join from the right: the split is at the largest power of two.
  while (stacked > 1) join(--stacked)
  memory.copy(out, STACK, HASH)
  return count
}

/** Puts the parent of entries `right - 1` and `right` in the place of the first. */
function join(right: i32): void {
  store<u8>(INNER, 1)
  memory.copy(INNER + 1, STACK + HASH * (right - 1), 2 * HASH)
  sha256(INNER, 1 + 2 * HASH, STACK + HASH * (right - 1))
}
