import type { BorrowedView } from './borrowed-view.ts'

/**
 * JSON in pieces, read once. A piece is valid until the reader calls `next` or `return`. Returns the error that
 * truncated the data, if the JSON was still closed; throws if it was not.
 */
export interface JsonChunks extends AsyncIterator<BorrowedView, Error | undefined, void> {
  [Symbol.asyncIterator](): JsonChunks
  /** Stops reading. */
  return(value?: undefined): Promise<IteratorResult<BorrowedView, Error | undefined>>
}
