import { isZero } from '../../base/bytes.ts'
import { RowSort, type SortSource } from './row-sort.ts'
import type { SegmentWriter } from './segment-writer.ts'

interface RowSource extends SortSource {
  /** True if a value of zeros is a tombstone. */
  readonly isPacked: boolean
}

/** Rows that are prefetched together. */
const BATCH = 64

/** Collects the unsorted rows of some heights and writes them in a segment's order. */
export class RowSorter {
  readonly #sources: RowSource[] = []
  #rows = 0
  /** Sink for bytes that are read only to prefetch them. */
  readonly #fetched = new Uint32Array(1)

  /** Rows added, replaced ones included. */
  get rows(): number {
    return this.#rows
  }

  /** Adds rows of `width` bytes, a key and a value each, by reference. A value of zeros deletes the key. */
  addPacked(height: number, bytes: Uint8Array, width: number, keyLength: number): void {
    if (bytes.length === 0) return
    const first = this.#rows
    this.#sources.push({ height, bytes, width, keyLength, first, isPacked: true })
    this.#rows += bytes.length / width
  }

  /** Adds a copy of a row. An empty value deletes the key. */
  add(height: number, key: Uint8Array, value: Uint8Array): void {
    const bytes = new Uint8Array(key.length + value.length)
    bytes.set(key)
    bytes.set(value, key.length)
    const { length: width } = bytes
    const first = this.#rows++
    this.#sources.push({
      height,
      bytes,
      width,
      keyLength: key.length,
      first,
      isPacked: false,
    })
  }

  /** Writes all rows. Of two rows with the same key and height it writes the one added later. */
  writeTo(writer: SegmentWriter): void {
    const sources = this.#sources
    const { order, sourceOf } = new RowSort(sources, this.#rows)
    let last: RowSource | undefined
    let lastKey = 0
    for (let i = 0; i < order.length; i++) {
      if (i % BATCH === 0) this.#fetch(order, sourceOf, i)
      const row = order[i] as number
      const source = sources[sourceOf[row] as number] as RowSource
      const { bytes, width, keyLength, height } = source
      const key = (row - source.first) * width
      const value = key + keyLength
      const isSame =
        last?.height === height &&
        last.keyLength === keyLength &&
        equalKeys(last.bytes, lastKey, bytes, key, keyLength)
      last = source
      lastKey = key
      if (isSame) continue
      const isTombstone = source.isPacked && isZero(bytes, value, key + width)
      writer.add(bytes, key, value, height, bytes, value, isTombstone ? value : key + width)
    }
  }

  /** Prefetches both ends of the next rows: these reads overlap, those of copying do not. */
  #fetch(order: Uint32Array, sourceOf: Uint32Array, start: number): void {
    const end = Math.min(start + BATCH, order.length)
    let fetched = 0
    for (let i = start; i < end; i++) {
      const row = order[i] as number
      const { bytes, first, width } = this.#sources[sourceOf[row] as number] as RowSource
      const at = (row - first) * width
      fetched ^= (bytes[at] as number) ^ (bytes[at + width - 1] as number)
    }
    this.#fetched[0] = fetched
  }
}

function equalKeys(
  a: Uint8Array,
  aStart: number,
  b: Uint8Array,
  bStart: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) if (a[aStart + i] !== b[bStart + i]) return false
  return true
}
