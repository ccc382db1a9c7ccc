import type { CommitmentProof, ExistenceProof } from './commitment-proof.ts'

/** The proof of a module key's value, or that there is none, against the app hash of a height. */
export interface StateProof {
  readonly height: number
  /** Proof of the key under the root of the module's tree; it holds the value. */
  readonly tree: CommitmentProof
  /** Proof of that root under the app hash. */
  readonly store: ExistenceProof
}

export interface StateProver {
  /**
   * Proves a key of a module's store at a height that is kept.
   * @throws NOT_FOUND where no such store or height is there yet, STATE_PRUNED below the heights that are
   * kept (data: requested, earliest, latest), UNSUPPORTED for the store of EVM state
   */
  prove(module: string, key: Uint8Array, height: number): Promise<StateProof>
}
