/**
 * A step of an ICS-23 proof from a node to its parent: the parent's hash is the SHA-256 of prefix, the
 * node's hash and suffix.
 */
export interface InnerOp {
  readonly prefix: Uint8Array
  readonly suffix: Uint8Array
}

/**
 * ICS-23's proof that a key has a value under a root hash. The leaf's hash is the SHA-256 of its prefix,
 * the key and the SHA-256 of the value, both of them behind their length as an unsigned varint.
 */
export interface ExistenceProof {
  readonly kind: 'exist'
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly leafPrefix: Uint8Array
  /** From the leaf up to the root. */
  readonly path: readonly InnerOp[]
}

/**
 * ICS-23's proof that a key is absent: the keys on both sides of it are neighbours. The first key has
 * nothing on its left, the last nothing on its right. An empty tree has neither; there the root, which
 * is that of an empty tree, says it all.
 */
export interface NonExistenceProof {
  readonly kind: 'nonexist'
  readonly key: Uint8Array
  readonly left: ExistenceProof | undefined
  readonly right: ExistenceProof | undefined
}

export type CommitmentProof = ExistenceProof | NonExistenceProof
