import type { StoredVersions, TableSize } from '../../table/stored-versions.ts'
import { readVersion, VERSION_BYTES, type Version, writeVersion } from '../../table/version.ts'
import type { TableName, TableRow } from '../state/table-rows.ts'
import { KEY_BYTES, rocksError } from './rocksdb-columns.ts'
import type { RocksColumn, RocksIterator, RocksLevel, RocksRange } from './rocksdb-module.ts'

/** Rows that a range read fetches at a time. */
const CHUNK_ROWS = 256

/** Returns `bytes` as a plain Uint8Array: `slice` of a Buffer does not copy. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Returns true if `row` is a version of `key`. */
export function isVersionOf(row: Uint8Array, key: Uint8Array): boolean {
  if (row.length !== key.length + VERSION_BYTES) return false
  for (let i = 0; i < key.length; i++) if (row[i] !== key[i]) return false
  return true
}

/** Returns a prefix of `key` so short that a seek to it uses no Bloom filter. */
function belowFilter(key: Uint8Array, keyBytes: number | undefined): Uint8Array {
  return keyBytes === undefined || key.length < keyBytes ? key : key.subarray(0, keyBytes - 1)
}

/** Returns a key above all those with the prefix `prefix`, or undefined if there is none. */
function successor(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length--
  if (length === 0) return undefined
  const next = prefix.slice(0, length)
  next[length - 1] = (next[length - 1] as number) + 1
  return next
}

/** Returns the bounds of an ordered read of whole columns, without Bloom filters. */
export function orderedRange(
  table: TableName,
  column: RocksColumn,
  range: { start: Uint8Array; end?: Uint8Array; reverse?: boolean; values: boolean },
): RocksRange {
  const keyBytes = KEY_BYTES[table]
  const start = belowFilter(range.start, keyBytes)
  let end = range.end
  if (end !== undefined && keyBytes !== undefined && end.length >= keyBytes) {
    end = successor(belowFilter(end, keyBytes))
  }
  return {
    column,
    ...(start.length > 0 && { gte: start }),
    ...(end !== undefined && end.length > 0 && { lt: end }),
    reverse: range.reverse ?? false,
    values: range.values,
    fillCache: false,
    asyncIO: false,
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
  }
}

/** The versions of one table in a column of RocksDB. */
export class RocksTable implements StoredVersions {
  readonly #dir: string
  readonly #name: TableName
  readonly #database: RocksLevel
  readonly #column: RocksColumn
  readonly #size: () => TableSize
  #key = new Uint8Array(256)
  /** For point reads, which reuse it. */
  #iterator: RocksIterator | undefined

  constructor(dir: string, name: TableName, database: RocksLevel, size: () => TableSize) {
    this.#dir = dir
    this.#name = name
    this.#database = database
    this.#column = database.columns[name] as RocksColumn
    this.#size = size
  }

  find(key: Uint8Array, height: number): Version | undefined {
    const rowBytes = key.length + VERSION_BYTES
    if (rowBytes > this.#key.length) this.#key = new Uint8Array(2 * rowBytes)
    this.#key.set(key)
    writeVersion(this.#key, key.length, height)
    try {
      this.#iterator ??= this.#database._iterator({
        column: this.#column,
        fillCache: true,
        asyncIO: false,
        keyEncoding: 'buffer',
        valueEncoding: 'buffer',
      })
      this.#iterator._seekSync(this.#key.subarray(0, rowBytes))
      const [row, value] = this.#iterator._nextvSync(1).rows
      if (row === undefined || value === undefined || !isVersionOf(row, key)) return undefined
      return { height: readVersion(row, key.length), value: plain(value) }
    } catch (thrown) {
      throw rocksError(this.#dir, thrown)
    }
  }

  *keys(start: Uint8Array, end: Uint8Array, reverse: boolean): Generator<Uint8Array, void> {
    const range = orderedRange(this.#name, this.#column, { start, end, reverse, values: false })
    let last: Uint8Array | undefined
    for (const { key: row } of this.#rows(range)) {
      if (last !== undefined && isVersionOf(row, last)) continue
      const key = plain(row.subarray(0, row.length - VERSION_BYTES))
      if (Buffer.compare(key, start) < 0 || Buffer.compare(key, end) >= 0) continue
      last = key
      yield key
    }
  }

  /**
   * Yields all versions as stored, each key followed by its height. Each row is a view that is valid until the next.
   */
  rows(): Generator<TableRow, void> {
    const start = new Uint8Array(0)
    return this.#rows(orderedRange(this.#name, this.#column, { start, values: true }))
  }

  isEmpty(): boolean {
    return this.size().rows === 0
  }

  size(): TableSize {
    return this.#size()
  }

  /** Closes the iterator over the old rows after a flush has added others. */
  refresh(): void {
    const iterator = this.#iterator
    this.#iterator = undefined
    void iterator?.close()
  }

  *#rows(range: RocksRange): Generator<TableRow, void> {
    const iterator = this.#database._iterator(range)
    try {
      for (let finished = false; !finished; ) {
        const chunk = iterator._nextvSync(CHUNK_ROWS)
        for (let i = 0; i < chunk.rows.length; i += 2) {
          yield { key: chunk.rows[i] as Uint8Array, value: chunk.rows[i + 1] as Uint8Array }
        }
        finished = chunk.finished
      }
    } catch (thrown) {
      throw rocksError(this.#dir, thrown)
    } finally {
      void iterator.close()
    }
  }
}
