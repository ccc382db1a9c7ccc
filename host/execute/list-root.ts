import { encodeRlp, rlpInteger } from '../base/rlp.ts'

/** Hashes of blocks: commit.wasm's. */
export interface BlockHasher {
  keccak256(bytes: Uint8Array): Uint8Array
  /** Root of the Merkle Patricia trie of rows, 32 bytes. */
  trieRoot(rows: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array
}

/** Root of the trie of a list: keys are the indices in RLP. */
export function listRoot(hasher: BlockHasher, values: readonly Uint8Array[]): Uint8Array {
  return hasher.trieRoot(values.map((value, index) => [encodeRlp(rlpInteger(index)), value]))
}
