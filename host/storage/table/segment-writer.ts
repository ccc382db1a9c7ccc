import { randomInt } from 'node:crypto'
import { closeSync, fdatasyncSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { writeFully } from './file-bytes.ts'
import { KeyFilterBuilder } from './key-filter.ts'
import {
  BLOCK_BYTES,
  BLOCK_TRAILER_BYTES,
  encodeFooter,
  MAX_KEY_BYTES,
  ROW_HEADER_BYTES,
  type SegmentSummary,
} from './segment-format.ts'
import { SegmentIndexBuilder } from './segment-index.ts'
import { storeError } from './store-error.ts'
import { VERSION_BYTES, writeVersion } from './version.ts'

/** Bytes written in one call. */
const PIECE_BYTES = 1 << 20
/** Bytes written between syncs, so that the sync at the end does not delay those of other files. */
const SYNC_BYTES = 16 << 20
/** Space for the longest key and its version before the rows of a piece: the last row of the previous piece. */
const HEAD_BYTES = (MAX_KEY_BYTES + VERSION_BYTES + 3) & ~3

/** Writes a segment's rows, which are added in order, to a new file. Call `abort` after an error. */
export class SegmentWriter {
  readonly #path: string
  readonly #file: number
  readonly #index = new SegmentIndexBuilder()
  readonly #filter: KeyFilterBuilder
  #open = true
  #bytes = new Uint8Array(HEAD_BYTES + PIECE_BYTES + 2 * BLOCK_BYTES)
  #words = new Uint32Array(this.#bytes.buffer)
  #halves = new Uint16Array(this.#bytes.buffer)
  /** End of the used bytes of the piece. */
  #used = HEAD_BYTES
  /** Bytes of the file before the piece. */
  #written = 0
  /** Bytes of the file that are synced. */
  #synced = 0
  /** Offset of the block in the piece. */
  #block = HEAD_BYTES
  /** Offsets of the rows in the block, in words. */
  readonly #starts = new Uint16Array(BLOCK_BYTES / (ROW_HEADER_BYTES + VERSION_BYTES))
  #blockRows = 0
  /** Offset of the last row's key in the piece or its head. */
  #last = 0
  #lastLength = 0
  #rows = 0
  #keys = 0
  #lowest = 0
  #highest = 0

  /**
   * Creates or truncates the file. The filter has room for `maxKeys` and shrinks to the keys added.
   * @throws STORE_FULL, STORE_CORRUPTED
   */
  constructor(path: string, maxKeys: number) {
    this.#path = path
    this.#filter = new KeyFilterBuilder(maxKeys, randomInt(2 ** 32))
    try {
      this.#file = openSync(path, 'w', 0o600)
    } catch (thrown) {
      throw storeError(path, thrown)
    }
  }

  /**
   * Adds a row. The key and the value are parts of two arrays, which are copied.
   * @throws STORE_CORRUPTED if the row is not above the last, INVALID_ARGUMENT if the key is too long, STORE_FULL
   */
  add(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    height: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    const keyLength = keyEnd - keyStart
    if (keyLength > MAX_KEY_BYTES) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `key of ${keyLength} bytes is too long: a segment takes at most ${MAX_KEY_BYTES}`,
      )
    }
    const filled = ROW_HEADER_BYTES + keyLength + VERSION_BYTES + valueEnd - valueStart
    const size = (filled + 3) & ~3
    const row = this.#place(size)
    const bytes = this.#bytes
    this.#words[row >>> 2] = keyLength | ((size - filled) << 16)
    let at = row + ROW_HEADER_BYTES
    for (let i = keyStart; i < keyEnd; i++) bytes[at++] = key[i] as number
    writeVersion(bytes, at, height)
    at += VERSION_BYTES
    if (valueEnd - valueStart > 256) {
      bytes.set(value.subarray(valueStart, valueEnd), at)
      at += valueEnd - valueStart
    } else {
      for (let i = valueStart; i < valueEnd; i++) bytes[at++] = value[i] as number
    }
    while (at < row + size) bytes[at++] = 0
    this.#accept(row, keyLength, height)
  }

  /**
   * Adds an encoded row of another segment: the words from `start` to `end`.
   * @throws STORE_CORRUPTED if it is not above the last, STORE_FULL
   */
  addEncoded(
    words: Uint32Array,
    start: number,
    end: number,
    keyLength: number,
    height: number,
  ): void {
    const row = this.#place((end - start) << 2)
    const target = this.#words
    let at = row >>> 2
    for (let i = start; i < end; i++) target[at++] = words[i] as number
    this.#accept(row, keyLength, height)
  }

  /** Completes and syncs the file. @throws STORE_FULL, STORE_CORRUPTED */
  finish(): SegmentSummary {
    try {
      if (this.#blockRows > 0) this.#closeBlock()
      this.#writePiece()
      const bytes = this.#writeSections()
      fdatasyncSync(this.#file)
      this.#close()
      const folder = openSync(dirname(this.#path), 'r')
      try {
        fsyncSync(folder)
      } finally {
        closeSync(folder)
      }
      return {
        rows: this.#rows,
        keys: this.#keys,
        bytes,
        lowest: this.#lowest,
        highest: this.#highest,
      }
    } catch (thrown) {
      throw storeError(this.#path, thrown)
    }
  }

  /** Removes the file. */
  abort(): void {
    this.#close()
    rmSync(this.#path, { force: true })
  }

  #close(): void {
    if (!this.#open) return
    this.#open = false
    closeSync(this.#file)
  }

  /** Reserves `size` bytes for a row, in a new block if the current one is full. Returns their offset. */
  #place(size: number): number {
    const rows = this.#blockRows
    if (rows > 0) {
      const table = ((rows + 2) >>> 1) << 2
      if (this.#used - this.#block + size + table + BLOCK_TRAILER_BYTES > BLOCK_BYTES) {
        this.#closeBlock()
      }
    }
    if (this.#used + size + BLOCK_BYTES > this.#bytes.length) this.#makeRoom(size)
    const row = this.#used
    this.#used += size
    return row
  }

  /** Called for the first row of a block only. */
  #makeRoom(size: number): void {
    this.#writePiece()
    if (HEAD_BYTES + size + BLOCK_BYTES <= this.#bytes.length) return
    const grown = new Uint8Array((HEAD_BYTES + size + 2 * BLOCK_BYTES) & ~3)
    grown.set(this.#bytes.subarray(0, HEAD_BYTES))
    this.#bytes = grown
    this.#words = new Uint32Array(grown.buffer)
    this.#halves = new Uint16Array(grown.buffer)
  }

  /** Adds the row at `row` to the block, the filter and the counts. */
  #accept(row: number, keyLength: number, height: number): void {
    const key = row + ROW_HEADER_BYTES
    const shared = this.#rows === 0 ? 0 : this.#sharedBytes(key, keyLength)
    const isNewKey = shared < keyLength || this.#rows === 0
    if (this.#blockRows === 0) {
      const offset = this.#written + this.#block - HEAD_BYTES
      this.#index.add(offset, this.#bytes, key, key + shared + 1)
    }
    this.#starts[this.#blockRows++] = (row - this.#block) >>> 2
    if (isNewKey) {
      this.#keys++
      this.#filter.add(this.#words, key >>> 2, keyLength)
    }
    if (this.#rows === 0 || height < this.#lowest) this.#lowest = height
    if (height > this.#highest) this.#highest = height
    this.#rows++
    this.#last = key
    this.#lastLength = keyLength
  }

  /** Returns the number of bytes that the row's key and version share with the last row's. @throws STORE_CORRUPTED */
  #sharedBytes(key: number, keyLength: number): number {
    const words = this.#words
    const longest = Math.min(keyLength, this.#lastLength) + VERSION_BYTES
    const ours = key >>> 2
    const theirs = this.#last >>> 2
    const most = longest >>> 2
    let word = 0
    while (word < most && words[ours + word] === words[theirs + word]) word++
    const bytes = this.#bytes
    let shared = word << 2
    while (shared < longest && bytes[key + shared] === bytes[this.#last + shared]) shared++
    const isSameKey = shared >= keyLength && shared >= this.#lastLength
    const isAbove = (bytes[key + shared] as number) > (bytes[this.#last + shared] as number)
    if (shared < longest && isAbove && (isSameKey || shared < longest - VERSION_BYTES)) {
      return shared
    }
    const row = formatData(bytes.slice(key, key + keyLength + VERSION_BYTES))
    throw new LockstepError(
      'STORE_CORRUPTED',
      `segment ${this.#path}: row ${row} is not above the row before it`,
    )
  }

  #closeBlock(): void {
    const rows = this.#blockRows
    let half = this.#used >>> 1
    for (let i = 0; i < rows; i++) this.#halves[half++] = this.#starts[i] as number
    if (rows % 2 === 1) this.#halves[half++] = 0
    const end = half << 1
    this.#words[end >>> 2] = rows
    this.#words[(end >>> 2) + 1] = crc32(this.#bytes.subarray(this.#block, end + 4))
    this.#used = end + BLOCK_TRAILER_BYTES
    this.#block = this.#used
    this.#blockRows = 0
    if (this.#used >= HEAD_BYTES + PIECE_BYTES) this.#writePiece()
  }

  #writePiece(): void {
    try {
      writeFully(this.#file, this.#bytes, HEAD_BYTES, this.#used)
      this.#written += this.#used - HEAD_BYTES
      if (this.#written - this.#synced >= SYNC_BYTES) {
        fdatasyncSync(this.#file)
        this.#synced = this.#written
      }
    } catch (thrown) {
      throw storeError(this.#path, thrown)
    }
    this.#bytes.copyWithin(0, this.#last, this.#last + this.#lastLength + VERSION_BYTES)
    this.#last = 0
    this.#used = HEAD_BYTES
    this.#block = HEAD_BYTES
  }

  /** Writes the sections after the blocks. Returns the size of the file. */
  #writeSections(): number {
    const indexOffset = this.#written
    const index = this.#index.encode(indexOffset)
    const { words, seed: filterSeed } = this.#filter.finish()
    const filter = new Uint8Array(words.buffer)
    const filterOffset = indexOffset + index.length
    const footer = encodeFooter({
      rows: this.#rows,
      keys: this.#keys,
      lowest: this.#lowest,
      highest: this.#highest,
      indexOffset,
      filterOffset,
      blocks: this.#index.blocks,
      separatorBytes: this.#index.separatorBytes,
      indexCrc: crc32(index),
      filterCrc: crc32(filter),
      filterSeed,
    })
    for (const section of [index, filter, footer]) {
      writeFully(this.#file, section)
    }
    return filterOffset + filter.length + footer.length
  }
}
