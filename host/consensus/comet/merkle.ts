import { EMPTY_BYTES } from '../../base/bytes.ts'
import { sha256 } from './sha256.ts'

const LEAF = 0
const INNER = 1

function hashLeaf(leaf: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + leaf.length)
  input[0] = LEAF
  input.set(leaf, 1)
  return sha256(input)
}

function hashInner(left: Uint8Array, right: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + left.length + right.length)
  input[0] = INNER
  input.set(left, 1)
  input.set(right, 1 + left.length)
  return sha256(input)
}

/** Largest power of two below `count`, which is at least 2. */
function splitPoint(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1))
}

function hashRange(leaves: readonly Uint8Array[], start: number, end: number): Uint8Array {
  if (end - start === 1) return hashLeaf(leaves[start] as Uint8Array)
  const middle = start + splitPoint(end - start)
  return hashInner(hashRange(leaves, start, middle), hashRange(leaves, middle, end))
}

/** Root of the Merkle tree over `leaves` (RFC 6962, section 2.1, with SHA-256); 32 bytes. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return leaves.length === 0 ? sha256(EMPTY_BYTES) : hashRange(leaves, 0, leaves.length)
}

/** How a leaf hangs on the root: CometBFT's `Proof`. */
export interface MerkleProof {
  readonly total: number
  readonly index: number
  readonly leafHash: Uint8Array
  /** Hashes of the siblings, from the leaf's up. */
  readonly aunts: readonly Uint8Array[]
}

/** The proof of the leaf at `index`, which must exist. */
export function merkleProof(leaves: readonly Uint8Array[], index: number): MerkleProof {
  const aunts: Uint8Array[] = []
  for (let start = 0, end = leaves.length; end - start > 1; ) {
    const middle = start + splitPoint(end - start)
    if (index < middle) {
      aunts.unshift(hashRange(leaves, middle, end))
      end = middle
    } else {
      aunts.unshift(hashRange(leaves, start, middle))
      start = middle
    }
  }
  return {
    total: leaves.length,
    index,
    leafHash: hashLeaf(leaves[index] as Uint8Array),
    aunts,
  }
}
