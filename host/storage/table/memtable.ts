import { compareBytes } from '../../base/bytes.ts'
import { type HashSeed, hashKey } from './key-hash.ts'
import {
  type IndexMemory,
  type KeyPosition,
  MemtableIndex,
  newIndexMemory,
  ROW_WORDS,
  SLOT_WORDS,
} from './memtable-index.ts'
import { ArenaSource, PackedSource, type RowSource } from './row-source.ts'
import type { Version } from './version.ts'

/** Rows hashed at a time, so that their slots are prefetched together. */
const BATCH = 1024
const MIN_SLOTS = 1024
/** Maximum keys per slot. It keeps runs of occupied slots short. */
const MAX_LOAD = 0.625
/**
 * Keys of a full memtable. With the block that exceeds it, a memtable takes 8 MiB of slots. Adding to an unlimited
 * one takes 1.3 times as long, and smaller ones would slow lookups down, because there would be more of them.
 */
const FULL_KEYS = 500_000
const MIN_ARENA = 4096
const MAX_ARENA = 1 << 20

/** Initial capacity of a memtable. */
export interface MemtableSize {
  readonly rows: number
  readonly keys: number
}

/** The rows between two flushes: their positions, and an index of their keys. It allocates no object per row. */
export class Memtable {
  readonly #seed: HashSeed
  readonly #sources: RowSource[] = []
  readonly #hashes = new Int32Array(BATCH)
  #index: MemtableIndex
  #rows = 0
  #keys = 0
  #bytes = 0
  #newest = -1
  /** The arena being filled, the last arena among the sources. */
  #arena = ArenaSource.ofCapacity(0)
  #arenaSource = -1
  /** The first row of each key of the first `#ordered` rows, sorted by key. */
  #order = new Int32Array(0)
  #ordered = 0

  constructor(seed: HashSeed, expected: MemtableSize) {
    this.#seed = seed
    let slots = MIN_SLOTS
    while (expected.keys > slots * MAX_LOAD) slots *= 2
    this.#index = new MemtableIndex(newIndexMemory(slots, expected.rows), this.#sources)
  }

  /** The index for other threads. Growing replaces it and leaves the previous one unchanged. */
  get memory(): IndexMemory {
    return this.#index
  }

  /** The sources of the rows; each height adds some. */
  get sources(): readonly RowSource[] {
    return this.#sources
  }

  get rows(): number {
    return this.#rows
  }

  get size(): MemtableSize {
    return { rows: this.#rows, keys: this.#keys }
  }

  /** True if further rows should go to a new memtable. */
  get isFull(): boolean {
    return this.#keys >= FULL_KEYS
  }

  /** Bytes of keys and values. */
  get bytes(): number {
    return this.#bytes
  }

  /** The highest height of any row; -1 if empty. */
  get latest(): number {
    return this.#newest
  }

  /**
   * Adds the rows whose keys have no version at or above `height`, neither here nor in `older`. The bytes are
   * retained, not copied.
   */
  applyPacked(
    height: number,
    rows: Uint8Array,
    width: number,
    keyLength: number,
    older: readonly Memtable[],
  ): void {
    const packed = new PackedSource(height, rows, width, keyLength)
    const { view } = packed
    const source = this.#sources.push(packed) - 1
    const seed = this.#seed
    const hashes = this.#hashes
    for (let start = 0; start < rows.length; ) {
      const count = Math.min(BATCH, (rows.length - start) / width)
      this.#reserve(count)
      for (let i = 0, offset = start; i < count; i++, offset += width) {
        hashes[i] = hashKey(seed, view, offset, keyLength)
      }
      for (let i = 0; i < count; i++, start += width) {
        const hash = hashes[i] as number
        if (older.length > 0 && reaches(older, { view, start, length: keyLength, hash }, height)) {
          continue
        }
        if (this.#add(height, source, start, keyLength, hash)) this.#bytes += width
      }
    }
  }

  /** Adds a copy of one row, unless its key has a version at or above `height` here or in `older`. */
  apply(
    height: number,
    key: Uint8Array,
    value: Uint8Array,
    place: KeyPosition,
    older: readonly Memtable[],
  ): void {
    if (reaches(older, place, height) || this.newestOf(place) >= height) return
    this.#reserve(1)
    const bytes = ArenaSource.roomFor(key, value)
    if (!this.#arena.hasRoom(bytes)) this.#addArena(bytes)
    const offset = this.#arena.add(height, key, value)
    this.#add(height, this.#arenaSource, offset, key.length, place.hash)
    this.#bytes += key.length + value.length
  }

  /** Returns the highest height of a key, or -1 if it has no version. */
  newestOf(key: KeyPosition): number {
    const index = this.#index
    const slot = index.slotOf(key.view, key.start, key.length, key.hash)
    const head = index.slots[slot + 1] as number
    return head === 0 ? -1 : this.#heightOf(head - 1)
  }

  /** Returns the latest version of a key at or below `height`. */
  find(key: KeyPosition, height: number): Version | undefined {
    return this.#index.find(key, height)
  }

  /** Returns copies of the keys from `start` up to `end` (excluded), ascending. */
  keys(start: Uint8Array, end: Uint8Array): Uint8Array[] {
    this.#sort()
    const keys: Uint8Array[] = []
    for (let at = this.#firstFrom(start); at < this.#order.length; at++) {
      const key = this.#keyOf(this.#order[at] as number)
      if (compareBytes(key, end) >= 0) break
      keys.push(key.slice())
    }
    return keys
  }

  /** Removes the rows above `height`. Heights ascend, so they are the last ones. */
  cut(height: number): void {
    const rows = this.#rows
    while (this.#rows > 0 && this.#heightOf(this.#rows - 1) > height) this.#removeLast()
    if (this.#rows === rows) return
    this.#newest = this.#rows === 0 ? -1 : this.#heightOf(this.#rows - 1)
    if (this.#ordered > this.#rows) {
      this.#order = this.#order.filter((row) => row < this.#rows)
      this.#ordered = this.#rows
    }
    for (
      let last = this.#sources.at(-1);
      last instanceof PackedSource;
      last = this.#sources.at(-1)
    ) {
      if (last.height() <= height) return
      this.#sources.pop()
    }
  }

  #removeLast(): void {
    const row = this.#rows - 1
    const { rows: words, slots } = this.#index
    const word = row * ROW_WORDS
    const source = this.#sources[words[word] as number] as RowSource
    const offset = words[word + 1] as number
    const previous = words[word + 2] as number
    const keyLength = source.keyLength(offset)
    const hash = hashKey(this.#seed, source.view, offset, keyLength)
    const slot = this.#index.slotOf(source.view, offset, keyLength, hash)
    this.#bytes -= source.rowBytes(offset)
    this.#rows = row
    if (previous === 0) {
      this.#keys--
      this.#free(slot)
    } else {
      slots[slot + 1] = previous
    }
    if (source === this.#arena) this.#arena.takeBack(offset)
  }

  /** Empties a slot, and moves up the slots after it that a search would reach through it. */
  #free(slot: number): void {
    const { slots, shift } = this.#index
    const last = slots.length - 1
    let hole = slot
    for (let at = (slot + SLOT_WORDS) & last; slots[at + 1] !== 0; at = (at + SLOT_WORDS) & last) {
      const home = ((slots[at] as number) >>> shift) * SLOT_WORDS
      if (((at - home) & last) < ((at - hole) & last)) continue
      slots[hole] = slots[at] as number
      slots[hole + 1] = slots[at + 1] as number
      hole = at
    }
    slots[hole + 1] = 0
  }

  /** Makes room for `rows` rows, all of which may have new keys. */
  #reserve(rows: number): void {
    const { slots, rows: words } = this.#index
    const wanted = this.#rows + rows
    const has = words.length / ROW_WORDS
    const room = wanted <= has ? has : Math.max(wanted, 2 * has)
    let count = slots.length / SLOT_WORDS
    while (this.#keys + rows > count * MAX_LOAD) count *= 2
    if (room > has || count > slots.length / SLOT_WORDS) this.#grow(count, room)
  }

  #grow(slots: number, rows: number): void {
    const old = this.#index
    const memory = newIndexMemory(slots, rows)
    memory.rows.set(old.rows.subarray(0, this.#rows * ROW_WORDS))
    this.#index = new MemtableIndex(memory, this.#sources)
    if (memory.slots.length === old.slots.length) memory.slots.set(old.slots)
    else this.#spread(old.slots)
  }

  /** Inserts the old slots into the larger table. */
  #spread(old: Int32Array): void {
    const { slots, shift } = this.#index
    const last = slots.length - 1
    for (let from = 0; from < old.length; from += SLOT_WORDS) {
      if (old[from + 1] === 0) continue
      const hash = old[from] as number
      let at = (hash >>> shift) * SLOT_WORDS
      while (slots[at + 1] !== 0) at = (at + SLOT_WORDS) & last
      slots[at] = hash
      slots[at + 1] = old[from + 1] as number
    }
  }

  #addArena(bytes: number): void {
    const capacity = Math.min(MAX_ARENA, Math.max(MIN_ARENA, 2 * this.#arena.bytes.length))
    this.#arena = ArenaSource.ofCapacity(Math.max(capacity, bytes))
    this.#arenaSource = this.#sources.push(this.#arena) - 1
  }

  /**
   * Adds a row, for which there must be room, unless its key has a version at or above `height`. Returns whether it
   * was added.
   */
  #add(height: number, source: number, offset: number, keyLength: number, hash: number): boolean {
    const { view } = this.#sources[source] as RowSource
    const { slots, rows } = this.#index
    const slot = this.#index.slotOf(view, offset, keyLength, hash)
    const previous = slots[slot + 1] as number
    if (previous === 0) this.#keys++
    else if (this.#heightOf(previous - 1) >= height) return false
    const word = this.#rows * ROW_WORDS
    rows[word] = source
    rows[word + 1] = offset
    rows[word + 2] = previous
    slots[slot] = hash
    Atomics.store(slots, slot + 1, ++this.#rows)
    if (height > this.#newest) this.#newest = height
    return true
  }

  #heightOf(row: number): number {
    const source = this.#sources[this.#index.rows[row * ROW_WORDS] as number] as RowSource
    return source.height(this.#index.rows[row * ROW_WORDS + 1] as number)
  }

  #keyOf(row: number): Uint8Array {
    const source = this.#sources[this.#index.rows[row * ROW_WORDS] as number] as RowSource
    const offset = this.#index.rows[row * ROW_WORDS + 1] as number
    return source.bytes.subarray(offset, offset + source.keyLength(offset))
  }

  /** Sorts the keys added since the last call, and merges them into the others. */
  #sort(): void {
    if (this.#ordered === this.#rows) return
    const added = new Int32Array(this.#keys - this.#order.length)
    for (let row = this.#ordered, count = 0; row < this.#rows; row++) {
      if (this.#index.rows[row * ROW_WORDS + 2] === 0) added[count++] = row
    }
    this.#ordered = this.#rows
    if (added.length === 0) return
    const compare = (a: number, b: number): number => compareBytes(this.#keyOf(a), this.#keyOf(b))
    added.sort(compare)
    this.#order = merge(this.#order, added, compare)
  }

  /** Returns the index in the order of the first key at or above `start`. */
  #firstFrom(start: Uint8Array): number {
    let low = 0
    let high = this.#order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareBytes(this.#keyOf(this.#order[middle] as number), start) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

function reaches(older: readonly Memtable[], key: KeyPosition, height: number): boolean {
  return older.some((generation) => generation.newestOf(key) >= height)
}

/** Merges two sorted lists. */
function merge(
  a: Int32Array,
  b: Int32Array,
  compare: (a: number, b: number) => number,
): Int32Array<ArrayBuffer> {
  const merged = new Int32Array(a.length + b.length)
  let i = 0
  let j = 0
  for (let at = 0; at < merged.length; at++) {
    const isA = j === b.length || (i < a.length && compare(a[i] as number, b[j] as number) < 0)
    merged[at] = (isA ? a[i++] : b[j++]) as number
  }
  return merged
}
