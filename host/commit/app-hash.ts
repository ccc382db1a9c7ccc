import { hash } from 'node:crypto'
import { concatBytes } from '../base/bytes.ts'

/** The root of one store: what the app hash is made of. */
export interface StoreRoot {
  readonly name: string
  /** 32 bytes. */
  readonly root: Uint8Array
}

const LEAF = Uint8Array.of(0)
const INNER = Uint8Array.of(1)

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return hash(
    'sha256',
    parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(parts),
    'buffer',
  )
}

/** Root of the Merkle tree over `leaves` (RFC 6962 section 2.1; CometBFT's simple Merkle tree). */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(LEAF.subarray(1))
  if (leaves.length === 1) return sha256(LEAF, leaves[0] as Uint8Array)
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return sha256(INNER, merkleRoot(leaves.slice(0, split)), merkleRoot(leaves.slice(split)))
}

/** Unsigned LEB128 length, then the bytes. */
function prefixed(bytes: Uint8Array): Uint8Array {
  const length: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  length.push(rest)
  return concatBytes([Uint8Array.from(length), bytes])
}

/**
 * The app hash: the Merkle root over the stores sorted by name, each leaf the name and the SHA-256 of
 * its root, both behind their length (Cosmos SDK's commit info).
 */
export function appHash(stores: readonly StoreRoot[]): Uint8Array {
  const encoder = new TextEncoder()
  const sorted = [...stores].sort((a, b) => (a.name < b.name ? -1 : 1))
  return merkleRoot(
    sorted.map(({ name, root }) =>
      concatBytes([prefixed(encoder.encode(name)), prefixed(sha256(root))]),
    ),
  )
}
