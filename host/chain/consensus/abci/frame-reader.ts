import { concatBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'

/** Most bytes of a length prefix: 2^35 is far above every limit. */
const MAX_LENGTH_BYTES = 5

/** Splits the bytes of a connection into messages, each prefixed by its length as a varint. */
export class AbciFrameReader {
  readonly #maxFrame: number
  /** State of the length prefix being read. */
  #lengthBytes = 0
  #length = 0
  /** Bytes still missing from the current message; undefined while its length is read. */
  #missing: number | undefined
  #pieces: Uint8Array[] = []

  constructor(maxFrame: number) {
    this.#maxFrame = maxFrame
  }

  /**
   * Returns the messages that `chunk` completes, in order. A message inside one chunk is a view of it. A longer
   * message takes memory for the bytes received so far, not for its declared length.
   * @throws PEER_INVALID if a length is no varint or above the limit
   */
  *push(chunk: Uint8Array): Generator<Uint8Array, void> {
    // `Buffer.slice` returns a view; `Uint8Array.slice` copies.
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length)
    let at = 0
    while (at < bytes.length) {
      if (this.#missing === undefined) {
        this.#readLengthByte(bytes[at++] as number)
        if (this.#missing !== 0) continue
      }
      const missing = this.#missing as number
      const end = Math.min(at + missing, bytes.length)
      const piece = bytes.subarray(at, end)
      this.#missing = missing - piece.length
      at = end
      if (this.#missing > 0) {
        this.#pieces.push(piece)
        return
      }
      yield this.#complete(piece)
    }
  }

  #readLengthByte(byte: number): void {
    this.#length += (byte & 0x7f) * 2 ** (7 * this.#lengthBytes)
    this.#lengthBytes++
    if (byte >= 0x80) {
      if (this.#lengthBytes < MAX_LENGTH_BYTES) return
      throw invalid(`a length has more than ${MAX_LENGTH_BYTES} bytes`)
    }
    if (this.#length > this.#maxFrame) {
      throw invalid(`a message of ${this.#length} bytes is above the limit of ${this.#maxFrame}`)
    }
    this.#missing = this.#length
    this.#length = 0
    this.#lengthBytes = 0
  }

  #complete(last: Uint8Array): Uint8Array {
    const pieces = this.#pieces
    this.#missing = undefined
    if (pieces.length === 0) return last
    this.#pieces = []
    return concatBytes([...pieces, last])
  }
}

function invalid(what: string): LockstepError {
  return new LockstepError('PEER_INVALID', `ABCI: ${what}`)
}
