import type { Version } from './version.ts'

/** The size of a table on disk. */
export interface TableSize {
  /** Versions stored, tombstones included. */
  readonly rows: number
  readonly bytes: number
  /** Bytes written to disk for this table since it was opened. */
  readonly bytesWritten: number
}

/**
 * The versions of one table's keys that are on disk. No key may be a prefix of another. The caller owns returned
 * arrays.
 */
export interface StoredVersions {
  /** Returns the latest version at or below `height`. */
  find(key: Uint8Array, height: number): Version | undefined
  /** Yields keys with any version, from `start` (included) up to `end` (excluded); descending if `reverse`. */
  keys(start: Uint8Array, end: Uint8Array, reverse: boolean): Iterable<Uint8Array>
  isEmpty(): boolean
  size(): TableSize
}
