import { concatBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'

/** Bytes of the longest varint of a length that this reads: 2^35 is far above every limit. */
const MAX_LENGTH_BYTES = 5

/** Cuts the bytes of a connection into messages: each stands behind its length, a varint. */
export class FrameReader {
  readonly #maxFrame: number
  /** Of the length that is being read. */
  #lengthBytes = 0
  #length = 0
  /** Of the message that is being read, once its length is known. */
  #missing: number | undefined
  #pieces: Uint8Array[] = []

  constructor(maxFrame: number) {
    this.#maxFrame = maxFrame
  }

  /**
   * The messages that `chunk` completes, in order. A message that lies within the chunk is a view of it; one that does
   * not takes the memory of the bytes that have come, whatever its length says.
   * @throws PEER_INVALID where a length is no varint, or above the limit
   */
  *push(chunk: Uint8Array): Generator<Uint8Array, void> {
    // A Buffer's own slice would be a view.
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
