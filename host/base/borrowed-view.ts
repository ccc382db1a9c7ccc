/** Bytes in a reused buffer: the next view overwrites them, and so does the end of reading. Copy them to keep them. */
export interface BorrowedView {
  readonly borrowed: Uint8Array
}
