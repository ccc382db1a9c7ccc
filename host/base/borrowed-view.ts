/**
 * A view of bytes that belong to somebody else: they are overwritten once the next view is asked for, or once
 * the reader says that it wants no more. Whoever keeps the bytes copies them.
 */
export interface BorrowedView {
  readonly borrowed: Uint8Array
}
