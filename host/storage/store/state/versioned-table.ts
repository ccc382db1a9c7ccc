import { MemoryTable } from '../../table/memory-table.ts'
import { mergeOrdered } from '../../table/ordered-merge.ts'
import type { StoredVersions } from '../../table/stored-versions.ts'
import type { Version } from '../../table/version.ts'
import { type PointTable, seenVersion } from './point-table.ts'
import type { PackedRows, TableRow } from './table-rows.ts'

/** Every version of the keys of one table: those of the latest blocks in memory, the rest on disk. */
export class VersionedTable implements PointTable {
  readonly memory = new MemoryTable()
  /** Heights at or above it see no version of a height below it (`seenVersion`). */
  since = 0
  readonly stored: StoredVersions
  #logicalBytes = 0

  constructor(stored: StoredVersions) {
    this.stored = stored
  }

  /** Bytes of the rows applied since it was opened. */
  get logicalBytes(): number {
    return this.#logicalBytes
  }

  /** Adds the rows of one height, above all others; they must never change afterwards. */
  applyPacked(height: number, { bytes, width, keyLength }: PackedRows): void {
    this.#logicalBytes += bytes.length
    this.memory.applyPacked(height, bytes, width, keyLength)
  }

  apply(height: number, { key, value }: TableRow): void {
    this.#logicalBytes += key.length + value.length
    this.memory.apply(height, key, value)
  }

  /** Drops the rows above `height` from memory. */
  cut(height: number): void {
    this.memory.cut(height)
  }

  /** Returns true if no key was ever written. */
  isEmpty(): boolean {
    return this.memory.isEmpty() && this.stored.isEmpty()
  }

  /** Returns the latest version at or below `height`. Versions in memory are later than all on disk. */
  find(key: Uint8Array, height: number): Version | undefined {
    const version = this.memory.find(key, height) ?? this.stored.find(key, height)
    return seenVersion(version, this.since, height)
  }

  /** Yields keys with any version, from `start` (included) up to `end` (excluded); descending if `reverse`. */
  keys(start: Uint8Array, end: Uint8Array, reverse: boolean): Iterable<Uint8Array> {
    const memory = this.memory.keys(start, end)
    if (reverse) memory.reverse()
    const stored = this.stored.keys(start, end, reverse)[Symbol.iterator]()
    return mergeOrdered([memory.values(), stored], reverse)
  }
}
