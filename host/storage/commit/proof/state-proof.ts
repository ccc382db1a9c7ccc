import type { CommitmentProof, ExistenceProof } from './commitment-proof.ts'

/** The proof of a module key's value, or of its absence, against the app hash of a height. */
export interface StateProof {
  readonly height: number
  /** Proof of the key under the root of the module's tree. It contains the value. */
  readonly tree: CommitmentProof
  /** Proof of that root under the app hash. */
  readonly store: ExistenceProof
}

export interface StateProver {
  /**
   * Proves a key of a module's store at a retained height.
   * @throws NOT_FOUND if no such store or height exists yet, STATE_PRUNED below the retained heights (data:
   * requested, earliest, latest), UNSUPPORTED for the store of EVM state
   */
  prove(module: string, key: Uint8Array, height: number): Promise<StateProof>
}
