import type { Changeset } from '../../evm/state/changeset.ts'
import type { CommitterOptions } from './lmdb-committer.ts'
import type { StateProof } from './proof/state-proof.ts'

/**
 * A request to the thread, which answers in order. The first is `open`. Posting it copies the rows of a changeset.
 */
export type CommitRequest =
  | { readonly kind: 'open'; readonly options: CommitterOptions }
  | { readonly kind: 'stage'; readonly changeset: Changeset }
  | { readonly kind: 'commit' }
  | {
      readonly kind: 'prove'
      readonly module: string
      readonly key: Uint8Array
      readonly height: number
    }
  | { readonly kind: 'revert'; readonly target: number; readonly from: number }
  | { readonly kind: 'close' }

/** The result of a request that has one. */
export interface CommitOutcome {
  /** App hash of the staged changeset, in the answer to `stage`. */
  readonly staged?: Uint8Array
  /** In the answer to `prove`. */
  readonly proof?: StateProof
}

/** The answer to a request. */
export interface CommitAnswer {
  /** Latest committed version and its app hash. */
  readonly version: number
  readonly appHash: Uint8Array
  readonly outcome: CommitOutcome
  readonly busyNs: number
}
