import type { BorrowedView } from '../../host/base/borrowed-view.ts'

/** Byte that a lender writes over a piece after its loan. */
const GONE = 0x21

/** Lends pieces in one buffer, as a lender may: each is overwritten at the next request or at the end. */
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
