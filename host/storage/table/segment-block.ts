import { crc32 } from 'node:zlib'
import { Slab } from '../../base/slab.ts'
import { readFully } from './file-bytes.ts'
import { BLOCK_BYTES, BLOCK_TRAILER_BYTES, damage, ROW_HEADER_BYTES } from './segment-format.ts'
import { storeError } from './store-error.ts'
import { readVersion, VERSION_BYTES, type Version } from './version.ts'

/** Maximum bytes of values such as those of accounts and slots. */
const SHORT_VALUE = 128

/** One block in memory; its buffer is reused. */
export class SegmentBlock {
  /** Number of the loaded block; -1 if none. */
  loaded = -1
  rows = 0
  #bytes = new Uint8Array(0)
  #halves = new Uint16Array(0)
  readonly #values: Slab
  /** Offset of the table of row offsets, which is the end of the last row. */
  #table = 0

  /** @param values - Receives copies of the versions' values. */
  constructor(values = new Slab()) {
    this.#values = values
  }

  /**
   * Reads block `block`, the bytes from `start` to `end` of the file.
   * @throws STORE_CORRUPTED
   */
  load(
    path: string,
    file: number,
    block: number,
    start: number,
    end: number,
    isChecked: boolean,
  ): void {
    const length = end - start
    this.loaded = -1
    if (length > this.#bytes.length) {
      this.#bytes = new Uint8Array((Math.max(length, BLOCK_BYTES) + 3) & ~3)
      this.#halves = new Uint16Array(this.#bytes.buffer)
    }
    let read: number
    try {
      read = readFully(file, this.#bytes, length, start)
    } catch (thrown) {
      throw storeError(path, thrown)
    }
    if (read < length) throw damage(path, start, `data block ${block} is truncated`)
    const rows = this.#word(length - 8)
    if (isChecked && crc32(this.#bytes.subarray(0, length - 4)) !== this.#word(length - 4)) {
      throw damage(path, start, `data block ${block} does not match its checksum`)
    }
    this.rows = rows
    this.#table = length - BLOCK_TRAILER_BYTES - (((rows + 1) >>> 1) << 2)
    this.loaded = block
  }

  /** Returns the first row at or above the first `length` bytes of `target`, a key and version or a prefix of it. */
  search(target: Uint8Array, length: number): number {
    let low = 0
    let high = this.rows
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBelow(middle, target, length)) low = middle + 1
      else high = middle
    }
    return low
  }

  hasKey(row: number, key: Uint8Array, length: number): boolean {
    const start = this.#start(row)
    if (this.#keyLength(start) !== length) return false
    const at = start + ROW_HEADER_BYTES
    for (let i = 0; i < length; i++) if (this.#bytes[at + i] !== key[i]) return false
    return true
  }

  key(row: number): Uint8Array {
    const start = this.#start(row)
    const at = start + ROW_HEADER_BYTES
    return this.#bytes.slice(at, at + this.#keyLength(start))
  }

  version(row: number): Version {
    const start = this.#start(row)
    const version = start + ROW_HEADER_BYTES + this.#keyLength(start)
    const next = row + 1 < this.rows ? this.#start(row + 1) : this.#table
    const padding = this.#halves[(start >>> 1) + 1] as number
    return {
      height: readVersion(this.#bytes, version),
      value: this.#value(version + VERSION_BYTES, next - padding),
    }
  }

  /** Returns a copy. Long values such as code may be retained for long, so they get a buffer of their own. */
  #value(start: number, end: number): Uint8Array {
    return end - start > SHORT_VALUE
      ? this.#bytes.slice(start, end)
      : this.#values.copy(this.#bytes, start, end)
  }

  #start(row: number): number {
    return (this.#halves[(this.#table >>> 1) + row] as number) << 2
  }

  #keyLength(start: number): number {
    return this.#halves[start >>> 1] as number
  }

  #isBelow(row: number, target: Uint8Array, length: number): boolean {
    const bytes = this.#bytes
    const start = this.#start(row)
    const at = start + ROW_HEADER_BYTES
    const shared = Math.min(this.#keyLength(start) + VERSION_BYTES, length)
    for (let i = 0; i < shared; i++) {
      const difference = (bytes[at + i] as number) - (target[i] as number)
      if (difference !== 0) return difference < 0
    }
    return shared < length
  }

  #word(at: number): number {
    const low = this.#halves[at >>> 1] as number
    return low + (this.#halves[(at >>> 1) + 1] as number) * 0x10000
  }
}
