import type { BorrowedView } from './borrowed-view.ts'

/**
 * JSON in pieces, to be read once; a piece is the reader's until it calls `next` or `return`. Returns the
 * error after which it was closed, though it is not whole; throws where it ends in the middle.
 */
export interface JsonChunks extends AsyncIterator<BorrowedView, Error | undefined, void> {
  [Symbol.asyncIterator](): JsonChunks
  /** Nobody reads on. */
  return(value?: undefined): Promise<IteratorResult<BorrowedView, Error | undefined>>
}
