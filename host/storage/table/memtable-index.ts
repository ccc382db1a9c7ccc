import type { RowSource } from './row-source.ts'
import type { Version } from './version.ts'

/** Words per slot: the key's hash, and its latest row plus one. */
export const SLOT_WORDS = 2
/** Words per row: its source, the offset of its key there, and the key's previous row plus one. */
export const ROW_WORDS = 3

/** Position of a key's bytes, and their hash. */
export interface KeyPosition {
  readonly view: DataView
  readonly start: number
  readonly length: number
  readonly hash: number
}

/** The index of a memtable: words that one thread writes and any thread may read. */
export interface IndexMemory {
  readonly slots: Int32Array
  readonly rows: Int32Array
}

/** Returns empty index memory of the given capacity. `slots` is a power of two. */
export function newIndexMemory(slots: number, rows: number): IndexMemory {
  return { slots: sharedWords(SLOT_WORDS * slots), rows: sharedWords(ROW_WORDS * rows) }
}

function sharedWords(count: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT))
}

/**
 * Open-addressing hash table from a key to its latest row, with links from there to the older rows.
 *
 * One thread adds rows. It writes the row first and then its number into the slot, by an atomic store: a thread that
 * loads the number sees the whole row. Rows never change and slots never move; memory that is too small is copied,
 * and the old memory stays as it is. A reader on another thread knows a prefix of the sources, those of the heights
 * that it was sent. Rows of other sources are newer than the heights it reads, so it skips them.
 */
export class MemtableIndex {
  readonly slots: Int32Array
  readonly rows: Int32Array
  /** Shift from a hash to its slot. Using the top bits makes growing write the slots in order. */
  readonly shift: number
  readonly #sources: readonly RowSource[]

  constructor({ slots, rows }: IndexMemory, sources: readonly RowSource[]) {
    this.slots = slots
    this.rows = rows
    this.shift = Math.clz32(slots.length / SLOT_WORDS) + 1
    this.#sources = sources
  }

  /** Returns the latest version of a key at or below `height`. */
  find(key: KeyPosition, height: number): Version | undefined {
    let link = Atomics.load(this.slots, this.slotOf(key.view, key.start, key.length, key.hash) + 1)
    while (link !== 0) {
      const word = (link - 1) * ROW_WORDS
      const source = this.#sources[this.rows[word] as number]
      const offset = this.rows[word + 1] as number
      if (source !== undefined && source.height(offset) <= height) return source.version(offset)
      link = this.rows[word + 2] as number
    }
    return undefined
  }

  /** Returns the slot of a key, or the free slot for it. */
  slotOf(view: DataView, start: number, length: number, hash: number): number {
    const { slots } = this
    const last = slots.length - 1
    let at = (hash >>> this.shift) * SLOT_WORDS
    for (;;) {
      const head = Atomics.load(slots, at + 1)
      if (head === 0) return at
      if (slots[at] === hash && this.#isKey(head, view, start, length)) return at
      at = (at + SLOT_WORDS) & last
    }
  }

  #isKey(head: number, view: DataView, start: number, length: number): boolean {
    for (let link = head; link !== 0; link = this.rows[(link - 1) * ROW_WORDS + 2] as number) {
      const word = (link - 1) * ROW_WORDS
      const source = this.#sources[this.rows[word] as number]
      if (source === undefined) continue
      const offset = this.rows[word + 1] as number
      return (
        source.keyLength(offset) === length && equalAt(source.view, offset, view, start, length)
      )
    }
    return false
  }
}

function equalAt(
  a: DataView,
  aStart: number,
  b: DataView,
  bStart: number,
  length: number,
): boolean {
  let at = 0
  for (; at + 4 <= length; at += 4) {
    if (a.getInt32(aStart + at) !== b.getInt32(bStart + at)) return false
  }
  for (; at < length; at++) if (a.getUint8(aStart + at) !== b.getUint8(bStart + at)) return false
  return true
}
