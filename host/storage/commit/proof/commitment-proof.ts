/**
 * A step of an ICS-23 proof from a node to its parent: the parent's hash is the SHA-256 of prefix, the
 * node's hash and suffix.
 */
export interface InnerOp {
  readonly prefix: Uint8Array
  readonly suffix: Uint8Array
}

/**
 * ICS-23's proof that a key has a value under a root hash. The leaf's hash is the SHA-256 of its prefix, the key and
 * the SHA-256 of the value, each of the latter two after its length as an unsigned varint.
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
 * ICS-23's proof that a key is absent: the keys on both sides of it are adjacent. `left` is absent before the first
 * key, `right` after the last. For an empty tree both are absent, and the root alone, which is that of an empty tree,
 * is the proof.
 */
export interface NonExistenceProof {
  readonly kind: 'nonexist'
  readonly key: Uint8Array
  readonly left: ExistenceProof | undefined
  readonly right: ExistenceProof | undefined
}

export type CommitmentProof = ExistenceProof | NonExistenceProof
