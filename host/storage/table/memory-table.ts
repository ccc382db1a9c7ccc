import { compareBytes } from '../../base/bytes.ts'
import { type HashSeed, randomSeed } from './key-hash.ts'
import { KeyScratch } from './key-scratch.ts'
import { Memtable } from './memtable.ts'
import type { Version } from './version.ts'

const EMPTY = { rows: 0, keys: 0 }

/**
 * The rows of a table's latest heights, until they are on disk. They lie in memtables: a flush seals the existing
 * ones and drops them when it ends. New rows go to a new memtable, which is also started when one is full.
 */
export class MemoryTable {
  /** Seed of the key hashes. */
  readonly seed: HashSeed = randomSeed()
  readonly #scratch = new KeyScratch(this.seed)
  /** The memtable that rows are added to. */
  #active = new Memtable(this.seed, EMPTY)
  /** The others, latest first; the last `#sealed` of them are sealed. */
  #older: readonly Memtable[] = []
  #sealed = 0

  /** Versions stored, tombstones included. */
  get rows(): number {
    return this.memtables.reduce((sum, { rows }) => sum + rows, 0)
  }

  /** Bytes of the keys and values of these rows, without the 30 to 50 bytes of index per row. */
  get bytes(): number {
    return this.memtables.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  isEmpty(): boolean {
    return this.rows === 0
  }

  /**
   * Adds a version for each of these rows of `width` bytes, whose first `keyLength` bytes are the key. A value of
   * zeros is a tombstone. The rows are retained, not copied: they must never change. Heights of a key ascend; a row
   * whose key has a version at or above `height` changes nothing.
   */
  applyPacked(height: number, rows: Uint8Array, width: number, keyLength: number): void {
    if (rows.length === 0) return
    if (this.#active.isFull) this.#renew()
    this.#active.applyPacked(height, rows, width, keyLength, this.#reaching(height))
  }

  /** Adds a copy of one row. An empty value is a tombstone. */
  apply(height: number, key: Uint8Array, value: Uint8Array): void {
    if (this.#active.isFull) this.#renew()
    this.#active.apply(height, key, value, this.#scratch.place(key), this.#reaching(height))
  }

  /** Returns the latest version at or below `height`. Its value is a view that must not be changed. */
  find(key: Uint8Array, height: number): Version | undefined {
    const place = this.#scratch.place(key)
    const found = this.#active.find(place, height)
    if (found !== undefined) return found
    for (const generation of this.#older) {
      const older = generation.find(place, height)
      if (older !== undefined) return older
    }
    return undefined
  }

  /** Returns copies of the keys with any version, from `start` (included) up to `end` (excluded), ascending. */
  keys(start: Uint8Array, end: Uint8Array): Uint8Array[] {
    let keys: Uint8Array[] = []
    for (const generation of this.memtables) keys = union(keys, generation.keys(start, end))
    return keys
  }

  /** Seals the current rows, because a flush of them starts. */
  seal(): void {
    if (this.#active.rows > 0) this.#renew()
    this.#sealed = this.#older.length
  }

  /** Drops the rows that the last `seal` sealed: they are on disk. */
  dropSealed(): void {
    this.#older = this.#older.slice(0, this.#older.length - this.#sealed)
    this.#sealed = 0
  }

  /** Removes the rows above `height`; none of them may be sealed. */
  cut(height: number): void {
    for (const generation of this.memtables) generation.cut(height)
    this.#older = this.#older.filter(({ rows }) => rows > 0)
  }

  /** Starts a new memtable with the capacity that the last one reached. */
  #renew(): void {
    this.#older = [this.#active, ...this.#older]
    this.#active = new Memtable(this.seed, this.#active.size)
  }

  /** Latest first. */
  get memtables(): readonly Memtable[] {
    return [this.#active, ...this.#older]
  }

  /** Returns the older memtables with any version at or above `height`: not empty only if heights are applied again. */
  #reaching(height: number): readonly Memtable[] {
    const older = this.#older
    return older.length === 0 ? older : older.filter(({ latest: newest }) => newest >= height)
  }
}

/** Merges two ascending lists of keys and removes duplicates. */
function union(a: readonly Uint8Array[], b: Uint8Array[]): Uint8Array[] {
  if (a.length === 0) return b
  const keys: Uint8Array[] = []
  let i = 0
  for (const key of b) {
    while (i < a.length && compareBytes(a[i] as Uint8Array, key) < 0)
      keys.push(a[i++] as Uint8Array)
    if (i < a.length && compareBytes(a[i] as Uint8Array, key) === 0) i++
    keys.push(key)
  }
  while (i < a.length) keys.push(a[i++] as Uint8Array)
  return keys
}
