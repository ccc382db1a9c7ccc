import { hash } from 'node:crypto'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { sha256 } from './sha256.ts'

const LEAF = 0
const INNER = 1
const DIGEST = 32

/**
 * Hashes a Merkle tree. Hashes are binary strings, one character per byte, and the input buffers are reused:
 * allocating them takes as long as hashing for a tree with thousands of leaves.
 */
class TreeHasher {
  #leaf: Buffer = Buffer.alloc(0)
  readonly #inner: Buffer = Buffer.alloc(1 + 2 * DIGEST, INNER)

  leaf(leaf: Uint8Array): string {
    const size = 1 + leaf.length
    if (this.#leaf.length < size) this.#leaf = Buffer.alloc(2 * size, LEAF)
    this.#leaf.set(leaf, 1)
    return hash('sha256', this.#leaf.subarray(0, size), 'binary')
  }

  #pair(left: string, right: string): string {
    this.#inner.write(left, 1, 'binary')
    this.#inner.write(right, 1 + DIGEST, 'binary')
    return hash('sha256', this.#inner, 'binary')
  }

  range(leaves: readonly Uint8Array[], start: number, end: number): string {
    if (end - start === 1) return this.leaf(leaves[start] as Uint8Array)
    const middle = start + splitPoint(end - start)
    return this.#pair(this.range(leaves, start, middle), this.range(leaves, middle, end))
  }
}

/** Returns the largest power of two below `count`, which must be at least 2. */
function splitPoint(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1))
}

function toBytes(digest: string): Uint8Array {
  return new Uint8Array(Buffer.from(digest, 'binary'))
}

/** Returns the root of the Merkle tree over `leaves` (RFC 6962, section 2.1, with SHA-256); 32 bytes. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(EMPTY_BYTES)
  return toBytes(new TreeHasher().range(leaves, 0, leaves.length))
}

/** Inclusion proof of a leaf: CometBFT's `Proof`. */
export interface MerkleProof {
  readonly total: number
  readonly index: number
  readonly leafHash: Uint8Array
  /** Hashes of the siblings, from the leaf up. */
  readonly aunts: readonly Uint8Array[]
}

/** Returns the proof of the leaf at `index`, which must exist. */
export function merkleProof(leaves: readonly Uint8Array[], index: number): MerkleProof {
  const hasher = new TreeHasher()
  const aunts: Uint8Array[] = []
  for (let start = 0, end = leaves.length; end - start > 1; ) {
    const middle = start + splitPoint(end - start)
    if (index < middle) {
      aunts.unshift(toBytes(hasher.range(leaves, middle, end)))
      end = middle
    } else {
      aunts.unshift(toBytes(hasher.range(leaves, start, middle)))
      start = middle
    }
  }
  return {
    total: leaves.length,
    index,
    leafHash: toBytes(hasher.leaf(leaves[index] as Uint8Array)),
    aunts,
  }
}
