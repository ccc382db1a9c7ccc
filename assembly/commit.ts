/**
 * commit.wasm: the hashing of the state commit. It imports and allocates nothing. The host writes to INPUT, calls,
 * and reads OUTPUT. A call processes as many rows, items or nodes as INPUT holds, because crossings between host and
 * module dominate the cost.
 */
import { hashInnerNodes, hashLeaves } from './commit/iavl'
import { LATTICE, mixRows } from './commit/lthash'
import { merkleRoot as findMerkleRoot } from './commit/merkle'
import { trieRoot as findTrieRoot } from './commit/mpt'
import { blake3 } from './hash/blake3'
import { keccak256 as hashKeccak } from './hash/keccak'

export const INPUT_SIZE: u32 = 4 * 1024 * 1024
/** An IAVL leaf takes at least 16 bytes of INPUT and 32 of OUTPUT. */
export const OUTPUT_SIZE: u32 = 2 * INPUT_SIZE

export const INPUT: usize = memory.data(INPUT_SIZE)
export const OUTPUT: usize = memory.data(OUTPUT_SIZE)
/**
 * Bytes to hash with Keccak-256, or the rows of a trie followed by its nodes during the build. A block of 10 MiB
 * (EIP-7934) or the logs of one fit.
 */
export const TRIE_SIZE: u32 = 16 * 1024 * 1024
export const TRIE: usize = memory.data(TRIE_SIZE, 8)
/** The lattice that rows are added to: 1024 little-endian u16. */
export const LATTICE_VECTOR: usize = memory.data(LATTICE, 16)

/** Adds the packed rows in INPUT to the lattice: see commit/lthash.ts. */
export function addRows(length: u32): i32 {
  return mixRows(LATTICE_VECTOR, INPUT, length, false)
}

export function subtractRows(length: u32): i32 {
  return mixRows(LATTICE_VECTOR, INPUT, length, true)
}

/** OUTPUT = BLAKE3-256 of the lattice. */
export function latticeRoot(): void {
  blake3(LATTICE_VECTOR, LATTICE, OUTPUT)
}

/** OUTPUT = the Merkle root over the packed items in INPUT: see commit/merkle.ts. */
export function merkleRoot(length: u32): i32 {
  return findMerkleRoot(INPUT, length, OUTPUT)
}

/** OUTPUT = the root of the Merkle Patricia trie of the packed rows in TRIE: see commit/mpt.ts. */
export function trieRoot(length: u32, isSecure: bool): i32 {
  return findTrieRoot(TRIE, length, TRIE + TRIE_SIZE, isSecure, OUTPUT)
}

/** OUTPUT = the hashes of the packed leaves in INPUT: see commit/iavl.ts. */
export function iavlLeafHashes(length: u32): i32 {
  return hashLeaves(INPUT, length, OUTPUT)
}

export function iavlInnerHashes(length: u32): i32 {
  return hashInnerNodes(INPUT, length, OUTPUT)
}

/** OUTPUT = Keccak-256 of the bytes in TRIE. */
export function keccak256(length: u32): void {
  hashKeccak(TRIE, length, OUTPUT)
}
