import { compareBytes } from '../base/bytes.ts'
import { type HashSeed, hashKey } from './key-hash.ts'
import { ArenaSource, PackedSource, type RowSource } from './row-source.ts'
import type { Version } from './version.ts'

/** Rows hashed at a time: their slots are then fetched beside one another, not one after another. */
const BATCH = 1024
const MIN_SLOTS = 1024
/** Keys a slot at most: runs of taken slots stay short. */
const MAX_LOAD = 0.625
/** Words of a slot: the key's hash, and its newest row plus one. */
const SLOT = 2
/** Words of a row: its source, the offset of its key there, and the key's row before plus one. */
const ROW = 3
/**
 * Keys of a full generation. With the block that passes it, it takes 8 MiB of slots: adding to one without
 * an end takes 1.3 times as long, and looking through more of them takes longer.
 */
const FULL_KEYS = 500_000
const MIN_ARENA = 4096
const MAX_ARENA = 1 << 20

/** The place of a key's bytes, and their hash. */
export interface KeyPlace {
  readonly view: DataView
  readonly start: number
  readonly length: number
  readonly hash: number
}

/** Rows and keys that a generation has room for from the start. */
export interface GenerationSize {
  readonly rows: number
  readonly keys: number
}

/**
 * The rows between two flushes: where each lies, an open-addressing hash table from a key to its newest
 * row, and links from there to the older ones. Nothing in it is an object a row.
 */
export class MemoryGeneration {
  readonly #seed: HashSeed
  readonly #sources: RowSource[] = []
  readonly #hashes = new Int32Array(BATCH)
  #slots: Int32Array
  /** From a hash to its slot: the top bits, so that growing writes the slots in their order. */
  #shift: number
  #rowWords: Int32Array
  #rows = 0
  #keys = 0
  #bytes = 0
  #newest = -1
  /** The arena being filled, the last of its kind among the sources. */
  #arena = new ArenaSource(0)
  #arenaSource = -1
  /** The first row of each key of the first `#ordered` rows, by key. */
  #order = new Int32Array(0)
  #ordered = 0

  constructor(seed: HashSeed, expected: GenerationSize) {
    this.#seed = seed
    let slots = MIN_SLOTS
    while (expected.keys > slots * MAX_LOAD) slots *= 2
    this.#slots = new Int32Array(SLOT * slots)
    this.#shift = Math.clz32(slots) + 1
    this.#rowWords = new Int32Array(ROW * expected.rows)
  }

  get rows(): number {
    return this.#rows
  }

  get size(): GenerationSize {
    return { rows: this.#rows, keys: this.#keys }
  }

  /** True when further rows are better added to a new generation. */
  get isFull(): boolean {
    return this.#keys >= FULL_KEYS
  }

  /** Bytes of keys and values. */
  get bytes(): number {
    return this.#bytes
  }

  /** The highest height of any row; -1 when there is none. */
  get newest(): number {
    return this.#newest
  }

  /**
   * Adds the rows whose keys have no version at or above `height`, neither here nor in `older`. The bytes
   * are kept, not copied.
   */
  applyPacked(
    height: number,
    rows: Uint8Array,
    width: number,
    keyLength: number,
    older: readonly MemoryGeneration[],
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
    place: KeyPlace,
    older: readonly MemoryGeneration[],
  ): void {
    if (reaches(older, place, height) || this.newestOf(place) >= height) return
    this.#reserve(1)
    const bytes = ArenaSource.roomFor(key, value)
    if (!this.#arena.hasRoom(bytes)) this.#addArena(bytes)
    const offset = this.#arena.add(height, key, value)
    this.#add(height, this.#arenaSource, offset, key.length, place.hash)
    this.#bytes += key.length + value.length
  }

  /** The highest height of a key; -1 when it has none. */
  newestOf(key: KeyPlace): number {
    const head = this.#slots[this.#slotOf(key.view, key.start, key.length, key.hash) + 1] as number
    return head === 0 ? -1 : this.#heightOf(head - 1)
  }

  /** The newest version at or below `height`. */
  find(key: KeyPlace, height: number): Version | undefined {
    const slot = this.#slotOf(key.view, key.start, key.length, key.hash)
    let link = this.#slots[slot + 1] as number
    while (link !== 0) {
      const word = (link - 1) * ROW
      const source = this.#sources[this.#rowWords[word] as number] as RowSource
      const offset = this.#rowWords[word + 1] as number
      if (source.height(offset) <= height) return source.version(offset)
      link = this.#rowWords[word + 2] as number
    }
    return undefined
  }

  /** Copies of the keys from `start` up to `end` (excluded), ascending. */
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

  /** Removes the rows above `height`: heights ascend, so they are the last. */
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
    const word = row * ROW
    const source = this.#sources[this.#rowWords[word] as number] as RowSource
    const offset = this.#rowWords[word + 1] as number
    const previous = this.#rowWords[word + 2] as number
    const keyLength = source.keyLength(offset)
    const hash = hashKey(this.#seed, source.view, offset, keyLength)
    const slot = this.#slotOf(source.view, offset, keyLength, hash)
    this.#bytes -= source.rowBytes(offset)
    this.#rows = row
    if (previous === 0) {
      this.#keys--
      this.#free(slot)
    } else {
      this.#slots[slot + 1] = previous
    }
    if (source === this.#arena) this.#arena.takeBack(offset)
  }

  /** Empties a slot; those behind it that a search would reach through it move up. */
  #free(slot: number): void {
    const slots = this.#slots
    const last = slots.length - 1
    let hole = slot
    for (let at = (slot + SLOT) & last; slots[at + 1] !== 0; at = (at + SLOT) & last) {
      const home = ((slots[at] as number) >>> this.#shift) * SLOT
      if (((at - home) & last) < ((at - hole) & last)) continue
      slots[hole] = slots[at] as number
      slots[hole + 1] = slots[at + 1] as number
      hole = at
    }
    slots[hole + 1] = 0
  }

  /** Makes room for rows that may all be of new keys. */
  #reserve(rows: number): void {
    const words = (this.#rows + rows) * ROW
    if (words > this.#rowWords.length) {
      const grown = new Int32Array(Math.max(words, 2 * this.#rowWords.length))
      grown.set(this.#rowWords.subarray(0, this.#rows * ROW))
      this.#rowWords = grown
    }
    while (this.#keys + rows > (this.#slots.length / SLOT) * MAX_LOAD) this.#growSlots()
  }

  #growSlots(): void {
    const old = this.#slots
    const slots = new Int32Array(2 * old.length)
    const last = slots.length - 1
    this.#shift--
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from + 1] === 0) continue
      const hash = old[from] as number
      let at = (hash >>> this.#shift) * SLOT
      while (slots[at + 1] !== 0) at = (at + SLOT) & last
      slots[at] = hash
      slots[at + 1] = old[from + 1] as number
    }
    this.#slots = slots
  }

  #addArena(bytes: number): void {
    const capacity = Math.min(MAX_ARENA, Math.max(MIN_ARENA, 2 * this.#arena.bytes.length))
    this.#arena = new ArenaSource(Math.max(capacity, bytes))
    this.#arenaSource = this.#sources.push(this.#arena) - 1
  }

  /** Adds a row, for which there must be room, unless its key reaches `height`; says whether it did. */
  #add(height: number, source: number, offset: number, keyLength: number, hash: number): boolean {
    const { view } = this.#sources[source] as RowSource
    const slot = this.#slotOf(view, offset, keyLength, hash)
    const previous = this.#slots[slot + 1] as number
    if (previous === 0) this.#keys++
    else if (this.#heightOf(previous - 1) >= height) return false
    const word = this.#rows * ROW
    this.#rowWords[word] = source
    this.#rowWords[word + 1] = offset
    this.#rowWords[word + 2] = previous
    this.#slots[slot] = hash
    this.#slots[slot + 1] = ++this.#rows
    if (height > this.#newest) this.#newest = height
    return true
  }

  /** The slot of a key, or the free one where it belongs. */
  #slotOf(view: DataView, start: number, length: number, hash: number): number {
    const slots = this.#slots
    const last = slots.length - 1
    let at = (hash >>> this.#shift) * SLOT
    for (;;) {
      const head = slots[at + 1] as number
      if (head === 0) return at
      if (slots[at] === hash && this.#isKey(head - 1, view, start, length)) return at
      at = (at + SLOT) & last
    }
  }

  #isKey(row: number, view: DataView, start: number, length: number): boolean {
    const source = this.#sources[this.#rowWords[row * ROW] as number] as RowSource
    const offset = this.#rowWords[row * ROW + 1] as number
    return source.keyLength(offset) === length && equalAt(source.view, offset, view, start, length)
  }

  #heightOf(row: number): number {
    const source = this.#sources[this.#rowWords[row * ROW] as number] as RowSource
    return source.height(this.#rowWords[row * ROW + 1] as number)
  }

  #keyOf(row: number): Uint8Array {
    const source = this.#sources[this.#rowWords[row * ROW] as number] as RowSource
    const offset = this.#rowWords[row * ROW + 1] as number
    return source.bytes.subarray(offset, offset + source.keyLength(offset))
  }

  /** Sorts the keys that came since the last time, and merges them into the others. */
  #sort(): void {
    if (this.#ordered === this.#rows) return
    const added = new Int32Array(this.#keys - this.#order.length)
    for (let row = this.#ordered, count = 0; row < this.#rows; row++) {
      if (this.#rowWords[row * ROW + 2] === 0) added[count++] = row
    }
    this.#ordered = this.#rows
    if (added.length === 0) return
    const compare = (a: number, b: number): number => compareBytes(this.#keyOf(a), this.#keyOf(b))
    added.sort(compare)
    this.#order = merge(this.#order, added, compare)
  }

  /** The place in the order of the first key at or above `start`. */
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

function reaches(older: readonly MemoryGeneration[], key: KeyPlace, height: number): boolean {
  return older.some((generation) => generation.newestOf(key) >= height)
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

/** Two sorted lists as one. */
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
