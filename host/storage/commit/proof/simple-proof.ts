import { concatBytes, EMPTY_BYTES } from '../../../base/bytes.ts'
import { type StoreRoot, sortStores, storeItem } from '../hash/app-hash.ts'
import type { CommitHasher } from '../hash/commit-hasher.ts'
import type { ExistenceProof, InnerOp } from './commitment-proof.ts'

/** RFC 6962: prefixes of the preimages of a leaf and of an inner node. */
const LEAF_PREFIX = Uint8Array.of(0)
const INNER_PREFIX = Uint8Array.of(1)

/** Proves the root of one store against the app hash over all of them. Returns undefined if there is no such store. */
export function proveStore(
  stores: readonly StoreRoot[],
  name: string,
  hasher: CommitHasher,
): ExistenceProof | undefined {
  const sorted = sortStores(stores)
  const index = sorted.findIndex((store) => store.name === name)
  const store = sorted[index]
  if (store === undefined) return undefined
  return {
    kind: 'exist',
    key: new TextEncoder().encode(name),
    value: store.root,
    leafPrefix: LEAF_PREFIX,
    path: auditPath(sorted.map(storeItem), index, hasher),
  }
}

/** RFC 6962, section 2.1.1: returns the sibling hashes on the path from an item up to the root. */
function auditPath(items: readonly Uint8Array[], index: number, hasher: CommitHasher): InnerOp[] {
  if (items.length === 1) return []
  const middle = splitPoint(items.length)
  const [left, right] = [items.slice(0, middle), items.slice(middle)]
  if (index < middle) {
    const op = { prefix: INNER_PREFIX, suffix: hasher.merkleRoot(right) }
    return [...auditPath(left, index, hasher), op]
  }
  const op = { prefix: concatBytes([INNER_PREFIX, hasher.merkleRoot(left)]), suffix: EMPTY_BYTES }
  return [...auditPath(right, index - middle, hasher), op]
}

/** Returns the largest power of two below `count`, which is at least 2. */
function splitPoint(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1))
}
