import { compareBytes } from '../../base/bytes.ts'
import { type HashSeed, randomSeed } from './key-hash.ts'
import { KeyScratch } from './key-scratch.ts'
import { MemoryGeneration } from './memory-generation.ts'
import type { Version } from './version.ts'

const EMPTY = { rows: 0, keys: 0 }

/**
 * The rows of the newest heights of one table, until they are on disk. They lie in generations: a flush
 * seals those that there are, and forgets them at its end; a new one takes the rows that come meanwhile, or once
 * one is full.
 */
export class MemoryTable {
  /** Of the hashes of its keys. */
  readonly seed: HashSeed = randomSeed()
  readonly #scratch = new KeyScratch(this.seed)
  /** The generation that rows are added to. */
  #active = new MemoryGeneration(this.seed, EMPTY)
  /** The others, newest first; the last `#sealed` of them are sealed. */
  #older: readonly MemoryGeneration[] = []
  #sealed = 0

  /** Versions held, tombstones among them. */
  get rows(): number {
    return this.generations.reduce((sum, { rows }) => sum + rows, 0)
  }

  /** Bytes of the keys and values of these rows; what leads to them takes 30 to 50 bytes a row more. */
  get bytes(): number {
    return this.generations.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  isEmpty(): boolean {
    return this.rows === 0
  }

  /**
   * Adds a version of each of these rows of `width` bytes, whose first `keyLength` are the key; a value of
   * zeros is a tombstone. The rows are kept, not copied: they must never change. Heights of a key ascend;
   * a row whose key has a version at or above `height` changes nothing.
   */
  applyPacked(height: number, rows: Uint8Array, width: number, keyLength: number): void {
    if (rows.length === 0) return
    if (this.#active.isFull) this.#renew()
    this.#active.applyPacked(height, rows, width, keyLength, this.#reaching(height))
  }

  /** Adds one row, which is copied. An empty value is a tombstone. */
  apply(height: number, key: Uint8Array, value: Uint8Array): void {
    if (this.#active.isFull) this.#renew()
    this.#active.apply(height, key, value, this.#scratch.place(key), this.#reaching(height))
  }

  /** The newest version at or below `height`. Its value is a view that must not be changed. */
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

  /** Keys with any version, from `start` (included) up to `end` (excluded), ascending; copies. */
  keys(start: Uint8Array, end: Uint8Array): Uint8Array[] {
    let keys: Uint8Array[] = []
    for (const generation of this.generations) keys = union(keys, generation.keys(start, end))
    return keys
  }

  /** The rows held now are being written to disk. */
  seal(): void {
    if (this.#active.rows > 0) this.#renew()
    this.#sealed = this.#older.length
  }

  /** Forgets the rows held when `seal` was called last: they are on disk. */
  dropSealed(): void {
    this.#older = this.#older.slice(0, this.#older.length - this.#sealed)
    this.#sealed = 0
  }

  /** Removes the rows above `height`; none of them is sealed. */
  cut(height: number): void {
    for (const generation of this.generations) generation.cut(height)
    this.#older = this.#older.filter(({ rows }) => rows > 0)
  }

  /** Begins a new generation, with the room that the last one came to need. */
  #renew(): void {
    this.#older = [this.#active, ...this.#older]
    this.#active = new MemoryGeneration(this.seed, this.#active.size)
  }

  /** Newest first. */
  get generations(): readonly MemoryGeneration[] {
    return [this.#active, ...this.#older]
  }

  /** The other generations with any version at or above `height`: where heights are applied again. */
  #reaching(height: number): readonly MemoryGeneration[] {
    const older = this.#older
    return older.length === 0 ? older : older.filter(({ newest }) => newest >= height)
  }
}

/** Two ascending lists of keys as one, each key once. */
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
