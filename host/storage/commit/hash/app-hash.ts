import { hash } from 'node:crypto'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { CommitHasher } from './commit-hasher.ts'

/** The only store through which EVM state enters the app hash. */
export const EVM_STORE = 'evm_lattice'

/** The root of one store, an input of the app hash. */
export interface StoreRoot {
  readonly name: string
  /** 32 bytes. */
  readonly root: Uint8Array
}

/** Sorts stores by name, the order of the app hash. */
export function sortStores(stores: readonly StoreRoot[]): StoreRoot[] {
  return [...stores].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns a store's leaf of the app hash: its name and the SHA-256 of its root, each after its length. */
export function storeItem({ name, root }: StoreRoot): Uint8Array {
  const rootHash = hash('sha256', root, 'buffer')
  return new BinaryWriter().string(name).bytes(rootHash).finish()
}

/** Returns the app hash: CometBFT's simple Merkle root over the stores (Cosmos SDK's commit info). */
export function appHash(stores: readonly StoreRoot[], hasher: CommitHasher): Uint8Array {
  return hasher.merkleRoot(sortStores(stores).map(storeItem))
}
