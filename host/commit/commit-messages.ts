import type { PlainError } from '../base/plain-error.ts'
import type { Changeset } from '../state/changeset.ts'

/** What the thread is asked, one after another. The rows of a changeset are copied on the way. */
export type CommitRequest =
  | { readonly kind: 'stage'; readonly changeset: Changeset }
  | { readonly kind: 'commit' }
  | { readonly kind: 'close' }

/** The answers, in the order of the requests; before them one that says what was opened. */
export type CommitAnswer =
  | {
      readonly kind: 'done'
      /** Newest committed version and its app hash. */
      readonly version: number
      readonly appHash: Uint8Array
      /** App hash of what is staged, in the answer to `stage`. */
      readonly staged: Uint8Array | undefined
      readonly busyNs: number
    }
  | { readonly kind: 'failed'; readonly error: PlainError }
