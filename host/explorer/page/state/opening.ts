import type { PlainError } from '../../../base/plain-error.ts'
import type { OpenedRun } from './opened-run.ts'

/** The progress of opening the transaction of the view. */
export type Opening =
  /** The view has no transaction. */
  | { readonly kind: 'none' }
  /** The bundle of the link was a file, which a link cannot hold. */
  | { readonly kind: 'file-needed' }
  /** `doing` says at what, for people: "Asking the node". */
  | { readonly kind: 'opening'; readonly doing: string }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'open'; readonly run: OpenedRun }
