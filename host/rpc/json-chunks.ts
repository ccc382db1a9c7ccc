/**
 * JSON in pieces, to be read once. Returns the error after which it was closed, though it is not whole;
 * throws where it ends in the middle.
 */
export interface JsonChunks extends AsyncIterator<Uint8Array, Error | undefined, void> {
  [Symbol.asyncIterator](): JsonChunks
  /** Nobody reads on. */
  return(value?: undefined): Promise<IteratorResult<Uint8Array, Error | undefined>>
}
