import { concatBytes } from '../../base/bytes.ts'
import { ByteWriter } from '../../storage/store/codec/byte-writer.ts'
import type { PayloadItem } from './item-codec.ts'
import { invalidSnapshot } from './snapshot-format.ts'

/** Size of a payload in bytes: records are split into pieces that fit into a chunk. */
const PIECE = 1024 * 1024
/** Size limit of a record in bytes. */
const MAX_RECORD = 256 * 1024 * 1024

/** Splits a record into pieces. The first one starts with its length. */
export function* recordPieces(record: Uint8Array): Generator<PayloadItem, void> {
  const frame = new ByteWriter(record.length + 8)
  frame.bytes(record)
  const bytes = frame.finish()
  for (let start = 0; start < bytes.length; start += PIECE) {
    yield { kind: 'payload', payload: bytes.subarray(start, start + PIECE) }
  }
}

/** Reassembles records. */
export class PieceReader {
  #pieces: Uint8Array[] = []
  /** Bytes of the record that are still missing. */
  #missing = 0

  /** True inside a record. */
  get isOpen(): boolean {
    return this.#missing > 0
  }

  /**
   * Adds a piece and returns the record that it completes, if any.
   * @throws SNAPSHOT_INVALID
   */
  add(piece: Uint8Array): Uint8Array | undefined {
    let rest = piece
    if (this.#missing === 0) {
      const { length, start } = readLength(piece)
      rest = piece.subarray(start)
      this.#missing = length
    }
    if (rest.length > this.#missing) {
      throw invalidSnapshot(
        `a record ends ${rest.length - this.#missing} bytes before its last piece`,
      )
    }
    // Copy: the piece is a view of a chunk that is released before the rest arrives.
    this.#pieces.push(rest.slice())
    this.#missing -= rest.length
    if (this.#missing > 0) return undefined
    const record = concatBytes(this.#pieces)
    this.#pieces = []
    return record
  }
}

function readLength(piece: Uint8Array): { readonly length: number; readonly start: number } {
  let length = 0
  let unit = 1
  for (let start = 0; start < Math.min(piece.length, 5); ) {
    const part = piece[start++] as number
    length += (part & 0x7f) * unit
    unit *= 0x80
    if (part >= 0x80) continue
    if (length === 0 || length > MAX_RECORD) break
    return { length, start }
  }
  throw invalidSnapshot(`a record states no length from 1 to ${MAX_RECORD}`)
}
