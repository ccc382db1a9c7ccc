import { closeSync, fstatSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { compareBytes, concatBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { Slab } from '../../base/slab.ts'
import { readFully } from './file-bytes.ts'
import { KeyFilter } from './key-filter.ts'
import { SegmentBlock } from './segment-block.ts'
import { SegmentCursor } from './segment-cursor.ts'
import {
  BLOCK_BYTES,
  damage,
  decodeFooter,
  FOOTER_BYTES,
  type Footer,
  indexBytes,
  type SegmentSummary,
} from './segment-format.ts'
import { SegmentIndex } from './segment-index.ts'
import { storeError } from './store-error.ts'
import { VERSION_BYTES, type Version, writeVersion } from './version.ts'

/** @throws STORE_CORRUPTED when the bytes do not match their checksum. */
function readSection(
  path: string,
  file: number,
  offset: number,
  length: number,
  crc: number,
): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(length))
  const read = readFully(file, bytes, length, offset)
  if (read < length) throw damage(path, offset + read, 'the file is cut off')
  if (crc32(bytes) !== crc) throw damage(path, offset, 'the section does not match its checksum')
  return bytes
}

function readShared(path: string, file: number, footer: Footer, size: number): SharedSegment {
  const { rows, keys, lowest, highest, indexOffset, filterOffset, blocks } = footer
  const length = indexBytes(blocks, footer.separatorBytes)
  const index = readSection(path, file, indexOffset, length, footer.indexCrc)
  const filterLength = size - FOOTER_BYTES - filterOffset
  const filter = readSection(path, file, filterOffset, filterLength, footer.filterCrc)
  return {
    path,
    summary: { rows, keys, bytes: size, lowest, highest },
    blocks,
    index,
    filter: new Uint32Array(filter.buffer),
    filterSeed: footer.filterSeed,
    checked: new Uint8Array(new SharedArrayBuffer((blocks + 7) >>> 3)),
  }
}

/** Blocks that a segment keeps for lookups, of at most so many bytes: most have some 4 KiB. */
const KEPT_BLOCKS = 32
const KEPT_BYTES = 2 * BLOCK_BYTES

/** The version in a row, where the row is of the key. */
function versionOf(block: SegmentBlock, row: number, key: Uint8Array): Version | undefined {
  return block.hasKey(row, key, key.length) ? block.version(row) : undefined
}

/** Behind a key, the version of height 0, which is the last a key can have. */
const LAST_VERSION = new Uint8Array(VERSION_BYTES).fill(0xff)

/**
 * What a segment's file says of its blocks and keys. It lies in shared memory, so that each thread that reads the file
 * need not hold it too.
 */
export interface SharedSegment {
  readonly path: string
  readonly summary: SegmentSummary
  readonly blocks: number
  /** The section of the index. */
  readonly index: Uint8Array
  readonly filter: Uint32Array
  readonly filterSeed: number
  /**
   * A bit for each block whose checksum was found right. Threads set bits of one byte without waiting for one another: a
   * bit that is lost has its block checked once more.
   */
  readonly checked: Uint8Array
}

/**
 * A segment's file, open for reading. It is closed when it was released as often as it was opened and
 * retained: who goes on reading while others may release it retains it.
 */
export class Segment {
  readonly path: string
  readonly summary: SegmentSummary
  /** As other threads open it. */
  readonly shared: SharedSegment
  readonly #file: number
  readonly #index: SegmentIndex
  readonly #filter: KeyFilter
  readonly #checked: Uint8Array
  /** Blocks that lookups have read of late, by their numbers, the oldest first; the last that is too long to be kept. */
  readonly #kept = new Map<number, SegmentBlock>()
  /** Values that were looked up: most are gone soon. */
  readonly #values = new Slab()
  readonly #long = new SegmentBlock(this.#values)
  /** Key and version looked for; the same as words. */
  #target = new Uint8Array(64)
  #targetWords = new Uint32Array(this.#target.buffer)
  #references = 1

  private constructor(file: number, shared: SharedSegment) {
    this.path = shared.path
    this.summary = shared.summary
    this.shared = shared
    this.#file = file
    this.#index = new SegmentIndex(shared.index, shared.blocks)
    this.#filter = new KeyFilter(shared.filter, shared.filterSeed)
    this.#checked = shared.checked
  }

  /** Opens a segment with one reference. @throws STORE_CORRUPTED */
  static open(path: string): Segment {
    let file: number | undefined
    try {
      file = openSync(path, 'r')
      const { size } = fstatSync(file)
      const bytes = new Uint8Array(FOOTER_BYTES)
      const offset = Math.max(0, size - FOOTER_BYTES)
      if (readFully(file, bytes, FOOTER_BYTES, offset) < FOOTER_BYTES) {
        throw damage(path, offset, `${size} bytes; a segment has ${FOOTER_BYTES} at least`)
      }
      return new Segment(file, readShared(path, file, decodeFooter(path, bytes, size), size))
    } catch (thrown) {
      if (file !== undefined) closeSync(file)
      throw storeError(path, thrown)
    }
  }

  /** Opens a segment that another thread has open, with one reference. @throws STORE_CORRUPTED where its file is gone */
  static openShared(shared: SharedSegment): Segment {
    try {
      return new Segment(openSync(shared.path, 'r'), shared)
    } catch (thrown) {
      throw storeError(shared.path, thrown)
    }
  }

  retain(): void {
    this.#requireOpen()
    this.#references++
  }

  release(): void {
    this.#requireOpen()
    if (--this.#references === 0) closeSync(this.#file)
  }

  /** The newest version of `key` at or below `height`. @throws STORE_CORRUPTED */
  find(key: Uint8Array, height: number): Version | undefined {
    this.#requireOpen()
    if (height < this.summary.lowest) return undefined
    const length = key.length + VERSION_BYTES
    if (length > this.#target.length) {
      this.#target = new Uint8Array((length + 3) & ~3)
      this.#targetWords = new Uint32Array(this.#target.buffer)
    }
    const target = this.#target
    for (let i = 0; i < key.length; i++) target[i] = key[i] as number
    if (!this.#filter.mayHold(this.#targetWords, 0, key.length)) return undefined
    writeVersion(target, key.length, height)
    const number = this.#index.search(target, length)
    if (number >= 0) {
      const block = this.#keptBlock(number)
      const row = block.search(target, length)
      if (row < block.rows) return versionOf(block, row, key)
    }
    // Above all rows of the block: the key's older versions, if it has any, begin the next one.
    const next = number + 1
    if (next === this.#index.blocks || !this.#index.beginsWith(next, key, key.length)) {
      return undefined
    }
    return versionOf(this.#keptBlock(next), 0, key)
  }

  /**
   * The distinct keys from `start` (included) up to `end` (excluded); descending when reversed. From the
   * first key asked for to the end of the iteration the segment is retained. @throws STORE_CORRUPTED
   */
  *keys(start: Uint8Array, end: Uint8Array, reverse: boolean): Generator<Uint8Array, void> {
    this.retain()
    try {
      const block = new SegmentBlock()
      yield* reverse ? this.#descending(block, start, end) : this.#ascending(block, start, end)
    } finally {
      this.release()
    }
  }

  /** All rows in order. The cursor retains the segment until it is closed. */
  cursor(): SegmentCursor {
    return new SegmentCursor(this, this.#file, this.#index)
  }

  *#ascending(block: SegmentBlock, start: Uint8Array, end: Uint8Array): Generator<Uint8Array> {
    let row = this.#seek(block, start)
    while (row >= 0) {
      const key = block.key(row)
      if (compareBytes(key, end) >= 0) return
      row = this.#after(block, row)
      if (row >= 0 && block.hasKey(row, key, key.length)) {
        row = this.#seek(block, concatBytes([key, LAST_VERSION]))
        if (row >= 0 && block.hasKey(row, key, key.length)) row = this.#after(block, row)
      }
      yield key
    }
  }

  *#descending(block: SegmentBlock, start: Uint8Array, end: Uint8Array): Generator<Uint8Array> {
    let row = this.#before(block, this.#seek(block, end))
    while (row >= 0) {
      const key = block.key(row)
      if (compareBytes(key, start) < 0) return
      row = this.#before(block, this.#seek(block, key))
      yield key
    }
  }

  /** Loads the block of the first row at or above `target`, a key or a key and version; -1: none is. */
  #seek(block: SegmentBlock, target: Uint8Array): number {
    const number = this.#index.search(target, target.length)
    const row = number < 0 ? -1 : this.#searchBlock(block, number, target, target.length)
    if (row >= 0) return row
    if (number + 1 === this.#index.blocks) return -1
    this.#load(block, number + 1)
    return 0
  }

  /** The row behind `row` of the block that is loaded, in it or in the next; -1: none. */
  #after(block: SegmentBlock, row: number): number {
    if (row + 1 < block.rows) return row + 1
    if (block.loaded + 1 === this.#index.blocks) return -1
    this.#load(block, block.loaded + 1)
    return 0
  }

  /** The row before `row` of the block that is loaded, or the last of all before -1; -1: none. */
  #before(block: SegmentBlock, row: number): number {
    if (row > 0) return row - 1
    const number = (row < 0 ? this.#index.blocks : block.loaded) - 1
    if (number < 0) return -1
    this.#load(block, number)
    return block.rows - 1
  }

  /** The first row of the block at or above the first `length` bytes of `target`; -1: none is. */
  #searchBlock(block: SegmentBlock, number: number, target: Uint8Array, length: number): number {
    this.#load(block, number)
    const row = block.search(target, length)
    return row < block.rows ? row : -1
  }

  /** A block as lookups keep it: one that is asked for again and again is read from the file once. */
  #keptBlock(number: number): SegmentBlock {
    const known = this.#kept.get(number)
    if (known !== undefined) return known
    const isLong = this.#index.offset(number + 1) - this.#index.offset(number) > KEPT_BYTES
    const block = isLong ? this.#long : this.#emptyBlock()
    this.#load(block, number)
    if (!isLong) this.#kept.set(number, block)
    return block
  }

  /** A block to be read into: another, or in the end the one that was read first. */
  #emptyBlock(): SegmentBlock {
    const oldest = this.#kept.size < KEPT_BLOCKS ? undefined : this.#kept.entries().next().value
    if (oldest === undefined) return new SegmentBlock(this.#values)
    this.#kept.delete(oldest[0])
    return oldest[1]
  }

  #load(block: SegmentBlock, number: number): void {
    if (block.loaded === number) return
    const start = this.#index.offset(number)
    const end = this.#index.offset(number + 1)
    const isChecked = ((this.#checked[number >>> 3] as number) & (1 << (number & 7))) === 0
    block.load(this.path, this.#file, number, start, end, isChecked)
    this.#checked[number >>> 3] = (this.#checked[number >>> 3] as number) | (1 << (number & 7))
  }

  /** The number of a closed file may have become another file's. */
  #requireOpen(): void {
    if (this.#references > 0) return
    throw new LockstepError(
      'STORE_CORRUPTED',
      `segment ${this.path} was read after it was released`,
    )
  }
}
