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

/** @throws STORE_CORRUPTED if the bytes do not match their checksum. */
function readSection(
  path: string,
  file: number,
  offset: number,
  length: number,
  crc: number,
): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(length))
  const read = readFully(file, bytes, length, offset)
  if (read < length) throw damage(path, offset + read, 'the file is truncated')
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

/** Number and maximum size of the blocks that a segment caches for lookups. Most have some 4 KiB. */
const KEPT_BLOCKS = 32
const KEPT_BYTES = 2 * BLOCK_BYTES

/** Returns the version in a row, or undefined if the row has another key. */
function versionOf(block: SegmentBlock, row: number, key: Uint8Array): Version | undefined {
  return block.hasKey(row, key, key.length) ? block.version(row) : undefined
}

/** The version of height 0, which sorts after all other versions of a key. */
const LAST_VERSION = new Uint8Array(VERSION_BYTES).fill(0xff)

/** Metadata of a segment's blocks and keys, in shared memory, so that the threads that read the file share one copy. */
export interface SharedSegment {
  readonly path: string
  readonly summary: SegmentSummary
  readonly blocks: number
  /** The section of the index. */
  readonly index: Uint8Array
  readonly filter: Uint32Array
  readonly filterSeed: number
  /**
   * One bit per block whose checksum was verified. Threads set bits of one byte without synchronization: a lost bit
   * makes a block be checked once more.
   */
  readonly checked: Uint8Array
}

/**
 * A segment's file, open for reading and reference-counted: it closes after as many releases as opens and retains. A
 * reader must retain it if others may release it meanwhile.
 */
export class Segment {
  readonly path: string
  readonly summary: SegmentSummary
  /** For other threads to open it. */
  readonly shared: SharedSegment
  readonly #file: number
  readonly #index: SegmentIndex
  readonly #filter: KeyFilter
  readonly #checked: Uint8Array
  /** Cached blocks by number, in the order they were read. A block that is too long for the cache goes to `#long`. */
  readonly #kept = new Map<number, SegmentBlock>()
  /** Buffer for the values of lookups, most of which are short-lived. */
  readonly #values = new Slab()
  readonly #long = new SegmentBlock(this.#values)
  /** Key and version of the lookup; the same as words. */
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
        throw damage(
          path,
          offset,
          `the file has ${size} bytes: a segment has at least ${FOOTER_BYTES}`,
        )
      }
      return new Segment(file, readShared(path, file, decodeFooter(path, bytes, size), size))
    } catch (thrown) {
      if (file !== undefined) closeSync(file)
      throw storeError(path, thrown)
    }
  }

  /**
   * Opens a segment that another thread has open, with one reference. @throws STORE_CORRUPTED if its file is missing
   */
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

  /** Returns the latest version of `key` at or below `height`. @throws STORE_CORRUPTED */
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
    // Above all rows of the block: the key's older versions, if any, start the next block.
    const next = number + 1
    if (next === this.#index.blocks || !this.#index.beginsWith(next, key, key.length)) {
      return undefined
    }
    return versionOf(this.#keptBlock(next), 0, key)
  }

  /**
   * Yields the distinct keys from `start` (included) up to `end` (excluded); descending if `reverse`. From the first
   * key to the end of the iteration the segment is retained. @throws STORE_CORRUPTED
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

  /** Returns a cursor over all rows in order. It retains the segment until it is closed. */
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

  /**
   * Loads the block of the first row at or above `target`, a key or a key and version. Returns the row, or -1 if
   * there is none.
   */
  #seek(block: SegmentBlock, target: Uint8Array): number {
    const number = this.#index.search(target, target.length)
    const row = number < 0 ? -1 : this.#searchBlock(block, number, target, target.length)
    if (row >= 0) return row
    if (number + 1 === this.#index.blocks) return -1
    this.#load(block, number + 1)
    return 0
  }

  /** Returns the row after `row` of the loaded block, in it or in the next, or -1. */
  #after(block: SegmentBlock, row: number): number {
    if (row + 1 < block.rows) return row + 1
    if (block.loaded + 1 === this.#index.blocks) return -1
    this.#load(block, block.loaded + 1)
    return 0
  }

  /** Returns the row before `row` of the loaded block, or -1. For -1 it returns the last row of the previous block. */
  #before(block: SegmentBlock, row: number): number {
    if (row > 0) return row - 1
    const number = (row < 0 ? this.#index.blocks : block.loaded) - 1
    if (number < 0) return -1
    this.#load(block, number)
    return block.rows - 1
  }

  /** Returns the first row of the block at or above the first `length` bytes of `target`, or -1. */
  #searchBlock(block: SegmentBlock, number: number, target: Uint8Array, length: number): number {
    this.#load(block, number)
    const row = block.search(target, length)
    return row < block.rows ? row : -1
  }

  /** Returns a block from the lookup cache; reads it if it is missing. */
  #keptBlock(number: number): SegmentBlock {
    const known = this.#kept.get(number)
    if (known !== undefined) return known
    const isLong = this.#index.offset(number + 1) - this.#index.offset(number) > KEPT_BYTES
    const block = isLong ? this.#long : this.#emptyBlock()
    this.#load(block, number)
    if (!isLong) this.#kept.set(number, block)
    return block
  }

  /** Returns a new block, or the oldest one of the cache if that is full. */
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

  /** Throws if the file is closed: its descriptor may belong to another file. */
  #requireOpen(): void {
    if (this.#references > 0) return
    throw new LockstepError(
      'STORE_CORRUPTED',
      `segment ${this.path} was read after it was released`,
    )
  }
}
