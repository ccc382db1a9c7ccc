import { hash } from 'node:crypto'
import { concatBytes } from '../base/bytes.ts'
import type { CommitHasher } from './module.ts'

/** The root of one store: what the app hash is made of. */
export interface StoreRoot {
  readonly name: string
  /** 32 bytes. */
  readonly root: Uint8Array
}

const TEXT_ENCODER = new TextEncoder()

/** Unsigned LEB128 length, then the bytes. */
function prefixed(bytes: Uint8Array): Uint8Array {
  const length: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  length.push(rest)
  return concatBytes([Uint8Array.from(length), bytes])
}

/**
 * The app hash: CometBFT's simple Merkle root over the stores sorted by name, each leaf the name and the
 * SHA-256 of its root, both behind their length (Cosmos SDK's commit info).
 */
export function appHash(stores: readonly StoreRoot[], hasher: CommitHasher): Uint8Array {
  const sorted = [...stores].sort((a, b) => (a.name < b.name ? -1 : 1))
  return hasher.merkleRoot(
    sorted.map(({ name, root }) =>
      concatBytes([prefixed(TEXT_ENCODER.encode(name)), prefixed(hash('sha256', root, 'buffer'))]),
    ),
  )
}
