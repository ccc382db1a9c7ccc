import type { PlainError } from '../base/plain-error.ts'
import type { Changeset } from '../state/changeset.ts'
import type { CommitterOptions } from './lmdb-committer.ts'
import type { StateProof } from './proof/state-proof.ts'

/**
 * A request to the thread, which answers in order: the first is `open`. The rows of a changeset are
 * copied on the way.
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

/** A request under its number, one more than that of the request before. */
export interface NumberedRequest {
  readonly number: number
  readonly request: CommitRequest
}

/** The result of a request that asks for one. */
export interface CommitOutcome {
  /** App hash of what is staged, in the answer to `stage`. */
  readonly staged?: Uint8Array
  /** In the answer to `prove`. */
  readonly proof?: StateProof
}

/** The answers, in the order of the requests and under their numbers. */
export type CommitAnswer = { readonly number: number } & CommitResult

export type CommitResult =
  | {
      readonly kind: 'done'
      /** Newest committed version and its app hash. */
      readonly version: number
      readonly appHash: Uint8Array
      readonly outcome: CommitOutcome
      readonly busyNs: number
    }
  | { readonly kind: 'failed'; readonly error: PlainError }
