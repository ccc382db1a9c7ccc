import { crc32 } from 'node:zlib'
import { readFully } from './file-bytes.ts'
import { BLOCK_TRAILER_BYTES, damage, ROW_HEADER_BYTES } from './segment-format.ts'
import type { SegmentIndex } from './segment-index.ts'
import { storeError } from './store-error.ts'
import { readVersion, VERSION_BYTES } from './version.ts'

/** The open segment that a cursor reads and keeps open. */
export interface CursorSource {
  readonly path: string
  retain(): void
  release(): void
}

/** Blocks read in one call. */
const PIECE_BYTES = 1 << 18

/**
 * Iterates over all rows of a segment in order and checks every block. The row's position (`words`, `start`, `end`)
 * is valid until the next call of `next`. `close` releases the segment.
 */
export class SegmentCursor {
  words = new Uint32Array(0)
  /** The row's first word, which is its header, and the word after its last. */
  start = 0
  end = 0
  /** Bytes of the row's key, which starts one word after `start`. */
  keyLength = 0
  readonly #segment: CursorSource
  readonly #file: number
  readonly #index: SegmentIndex
  #isOpen = true
  #bytes = new Uint8Array(0)
  #halves = new Uint16Array(0)
  /** The current block, and the block after the last one of the piece. */
  #block = -1
  #pieceEnd = 0
  /** Offset of the piece in the file. */
  #offset = 0
  /** First word of the block, number of rows left, and the next entry of its table of offsets. */
  #base = 0
  #left = 0
  #entry = 0
  /** Word of the table of offsets, which is the end of the block's last row. */
  #table = 0

  constructor(segment: CursorSource, file: number, index: SegmentIndex) {
    this.#segment = segment
    this.#file = file
    this.#index = index
    segment.retain()
  }

  get height(): number {
    return readVersion(this.#bytes, (this.start << 2) + ROW_HEADER_BYTES + this.keyLength)
  }

  get isTombstone(): boolean {
    const padding = (this.words[this.start] as number) >>> 16
    const filled = ((this.end - this.start) << 2) - padding
    return filled === ROW_HEADER_BYTES + this.keyLength + VERSION_BYTES
  }

  /** Moves to the next row. Returns false after the last. @throws STORE_CORRUPTED */
  next(): boolean {
    if (this.#left === 0 && !this.#nextBlock()) return false
    this.#left--
    this.start = this.#base + (this.#halves[this.#entry++] as number)
    this.end = this.#left > 0 ? this.#base + (this.#halves[this.#entry] as number) : this.#table
    this.keyLength = (this.words[this.start] as number) & 0xffff
    return true
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#segment.release()
  }

  #nextBlock(): boolean {
    this.#block++
    if (this.#block >= this.#pieceEnd && !this.#readPiece()) return false
    const { path } = this.#segment
    const from = this.#index.offset(this.#block) - this.#offset
    const end = this.#index.offset(this.#block + 1) - this.#offset
    if (crc32(this.#bytes.subarray(from, end - 4)) !== this.words[(end >>> 2) - 1]) {
      const what = `data block ${this.#block} does not match its checksum`
      throw damage(path, this.#offset + from, what)
    }
    const rows = this.words[(end >>> 2) - 2] as number
    this.#base = from >>> 2
    this.#table = ((end - BLOCK_TRAILER_BYTES) >>> 2) - ((rows + 1) >>> 1)
    this.#entry = this.#table << 1
    this.#left = rows
    return true
  }

  #readPiece(): boolean {
    const index = this.#index
    const { blocks } = index
    if (this.#block >= blocks) return false
    this.#offset = index.offset(this.#block)
    this.#pieceEnd = this.#block + 1
    while (
      this.#pieceEnd < blocks &&
      index.offset(this.#pieceEnd + 1) - this.#offset <= PIECE_BYTES
    ) {
      this.#pieceEnd++
    }
    const length = index.offset(this.#pieceEnd) - this.#offset
    if (length > this.#bytes.length) {
      this.#bytes = new Uint8Array((Math.max(length, PIECE_BYTES) + 3) & ~3)
      this.words = new Uint32Array(this.#bytes.buffer)
      this.#halves = new Uint16Array(this.#bytes.buffer)
    }
    const { path } = this.#segment
    let read: number
    try {
      read = readFully(this.#file, this.#bytes, length, this.#offset)
    } catch (thrown) {
      throw storeError(path, thrown)
    }
    if (read < length) throw damage(path, this.#offset + read, 'the file is truncated')
    return true
  }
}
