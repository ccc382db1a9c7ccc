import { iavlSpec, ics23, tendermintSpec, verifyExistence, verifyNonExistence } from '@confio/ics23'

/** A proof operation of a query: CometBFT's `ProofOp`. */
export interface ProofOp {
  readonly type: string
  readonly key: Uint8Array
  readonly data: Uint8Array
}

/** The key and value that a query must prove. */
export interface Claim {
  readonly module: string
  readonly key: Uint8Array
  /** Undefined if the key is claimed to be absent. */
  readonly value: Uint8Array | undefined
}

const EMPTY = new Uint8Array(0)

/**
 * Checks a rule of ICS-23 for IAVL nodes that the older verifier below lacks: only whole children follow height, size
 * and version.
 */
function ensureIavlOps({ leaf, path }: ics23.IExistenceProof): void {
  const leafRest = restOf(leaf?.prefix ?? EMPTY, 0)
  if (leafRest !== 0) throw new Error(`leaf with ${leafRest} bytes behind its version`)
  for (const op of path ?? []) {
    const rest = restOf(op.prefix ?? EMPTY, 1)
    const children = rest === 1 ? 33 : rest === 34 ? 0 : undefined
    if (children !== op.suffix?.length) throw new Error(`inner node of ${rest} bytes`)
  }
}

/** Returns the bytes after the three signed varints of a node, whose height must be at least `lowest`. */
function restOf(prefix: Uint8Array, lowest: number): number {
  let at = 0
  for (let field = 0; field < 3; field++) {
    const first = prefix[at] ?? 1
    if (first % 2 === 1) throw new Error('negative or missing')
    if (field === 0 && (first < 2 * lowest || (lowest === 0 && first !== 0))) {
      throw new Error(`height ${first / 2}`)
    }
    while ((prefix[at++] ?? 0) >= 128);
  }
  return prefix.length - at
}

/** @throws if the data does not prove the key's value, or its absence, under the root */
export function verifyIavl(
  data: Uint8Array,
  root: Uint8Array,
  key: Uint8Array,
  value: Uint8Array | undefined,
): void {
  const { exist, nonexist } = ics23.CommitmentProof.decode(data)
  if (value !== undefined) {
    if (exist == null) throw new Error('no existence proof')
    ensureIavlOps(exist)
    verifyExistence(exist, iavlSpec, root, key, value)
    return
  }
  if (nonexist == null) throw new Error('no non-existence proof')
  for (const side of [nonexist.left, nonexist.right]) if (side != null) ensureIavlOps(side)
  verifyNonExistence(nonexist, iavlSpec, root, key)
}

/** @throws if the data does not prove the store's root under the app hash */
export function verifyStore(
  data: Uint8Array,
  appHash: Uint8Array,
  module: string,
  root: Uint8Array,
): void {
  const { exist } = ics23.CommitmentProof.decode(data)
  if (exist == null) throw new Error('no existence proof')
  verifyExistence(exist, tendermintSpec, appHash, new TextEncoder().encode(module), root)
}

/**
 * Verifies the two operations of a query from the app hash alone, as a light client does.
 * @throws if they do not prove the claim
 */
export function verifyQuery(ops: readonly ProofOp[], appHash: Uint8Array, claim: Claim): void {
  const [tree, store, ...others] = ops
  if (tree?.type !== 'ics23:iavl' || store?.type !== 'ics23:simple' || others.length > 0) {
    throw new Error(`operations ${ops.map(({ type }) => type)}`)
  }
  const { module, key, value } = claim
  const names = [tree.key, Buffer.from(store.key).toString()]
  if (Buffer.compare(tree.key, key) !== 0 || names[1] !== module) throw new Error(`keys ${names}`)
  const root = ics23.CommitmentProof.decode(store.data).exist?.value
  if (root == null) throw new Error('no root')
  verifyStore(store.data, appHash, module, root)
  verifyIavl(tree.data, root, key, value)
}
