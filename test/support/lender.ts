import type { BorrowedView } from '../../host/base/borrowed-view.ts'

/** Bytes of what a lender writes over a piece that was taken back. */
const GONE = 0x21

/** Lends pieces in one buffer, as a lender may: each is gone as soon as more is asked for, or nothing more is. */
export async function* lend(pieces: Iterable<Uint8Array>): AsyncGenerator<BorrowedView, undefined> {
  let buffer = new Uint8Array(0)
  for (const piece of pieces) {
    if (buffer.length < piece.length) buffer = new Uint8Array(piece.length)
    buffer.set(piece)
    try {
      yield { borrowed: buffer.subarray(0, piece.length) }
    } finally {
      buffer.fill(GONE)
    }
  }
}
