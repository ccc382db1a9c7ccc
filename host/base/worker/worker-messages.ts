import type { PlainError } from '../plain-error.ts'

/** A request to a worker. Its response has the same number. */
export interface NumberedWork<Work> {
  readonly number: number
  readonly work: Work
}

/** The response to a request, or a message that answers none. */
export type FromWorker<Result, Note> =
  | { readonly number: number; readonly result: Result }
  | { readonly number: number; readonly error: PlainError }
  | { readonly note: Note }
