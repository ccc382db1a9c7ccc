import { isZero } from '../../../base/bytes.ts'
import type { Changeset } from '../../../evm/state/changeset.ts'
import { VERSION_BYTES, writeVersion } from '../../table/version.ts'
import { type PackedRows, type TableName, type TableRow, writeRows } from '../state/table-rows.ts'
import {
  decodeNumber,
  encodeNumbers,
  HEIGHTS_COLUMN,
  heightKey,
  rocksError,
  sizeKey,
} from './rocksdb-columns.ts'
import type { RowCount, RowCounts } from './rocksdb-messages.ts'
import type { RocksBatch, RocksColumn, RocksLevel } from './rocksdb-module.ts'

/** Rows written in one batch. */
const BATCH_ROWS = 4096
const NONE: RowCount = { rows: 0, bytes: 0, written: 0 }
/** Packed rows sorted at a time: an index below and 32 bits of a key above fit a float64. */
const ORDERED_ROWS = 2 ** 21

/**
 * Returns the indexes of packed rows sorted by the first 32 bits of their keys: RocksDB takes a third of the time for
 * sorted rows.
 */
function placesInOrder({ bytes, width }: PackedRows): Float64Array {
  const places = new Float64Array(bytes.length / width)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let i = 0; i < places.length; i++) {
    places[i] = view.getUint32(i * width) * ORDERED_ROWS + i
  }
  return places.sort()
}

/** Writes versions and named heights into one database. */
export class RocksWriter {
  readonly #dir: string
  readonly #database: RocksLevel
  readonly #heights: RocksColumn
  readonly #batch: RocksBatch
  readonly #counts = new Map<TableName, RowCount>()
  /** Counts of rows that are not marked yet, which are written again after a crash before the mark. */
  readonly #added = new Map<TableName, RowCount>()
  #row = new Uint8Array(256)
  #pending = 0

  constructor(dir: string, database: RocksLevel, tables: readonly TableName[]) {
    this.#dir = dir
    this.#database = database
    this.#heights = database.columns[HEIGHTS_COLUMN] as RocksColumn
    this.#batch = database.batch()
    for (const table of tables) this.#counts.set(table, this.#storedCount(table))
  }

  /** Counts of the rows that are marked. */
  get counts(): RowCounts {
    return this.#counts
  }

  /** Writes the rows of a changeset that belong to this database; durable only with the next `mark`. */
  write(changeset: Changeset): void {
    const { height } = changeset
    writeRows(changeset, {
      packed: (table, rows) => {
        if (this.#counts.has(table)) this.#writePacked(table, height, rows)
      },
      row: (table, row) => {
        if (this.#counts.has(table)) this.put(table, height, row)
      },
    })
  }

  put(table: TableName, height: number, { key, value }: TableRow): void {
    const length = key.length + VERSION_BYTES
    if (length > this.#row.length) this.#row = new Uint8Array(2 * length)
    this.#row.set(key)
    writeVersion(this.#row, key.length, height)
    this.#batch._put(this.#row.subarray(0, length), value, { column: this.#column(table) })
    this.#count(this.#added, table, 1, length + value.length, length + value.length)
    if (++this.#pending >= BATCH_ROWS) this.#send(false)
  }

  /** Deletes rows, and stores `state` under a key of the heights' column, atomically. */
  remove(table: TableName, rows: readonly TableRow[], key: Uint8Array, state: Uint8Array): void {
    const column = this.#column(table)
    for (const row of rows) {
      this.#batch._del(row.key, { column })
      this.#count(this.#counts, table, -1, -row.key.length - row.value.length, 0)
    }
    this.#batch._put(key, state, { column: this.#heights })
    this.#putCount(table)
    this.#send(false)
  }

  /** Deletes rows atomically; durable only with the next `mark`. */
  delete(table: TableName, rows: readonly TableRow[]): void {
    const column = this.#column(table)
    for (const row of rows) {
      this.#batch._del(row.key, { column })
      this.#count(this.#counts, table, -1, -row.key.length - row.value.length, 0)
    }
    this.#putCount(table)
    this.#send(false)
  }

  /** Sets named heights; -1 removes one. They, and all earlier rows, are on disk when this returns. */
  mark(heights: readonly (readonly [string, number])[]): void {
    const column = this.#heights
    for (const [name, height] of heights) {
      if (height < 0) this.#batch._del(heightKey(name), { column })
      else this.#batch._put(heightKey(name), encodeNumbers(height), { column })
    }
    for (const [table, { rows, bytes, written }] of this.#added) {
      this.#count(this.#counts, table, rows, bytes, written)
      this.#putCount(table)
    }
    this.#added.clear()
    this.#send(true)
  }

  /** Removes all rows of a table. */
  clear(table: TableName): void {
    const column = this.#column(table)
    // A range deletion slows every read after it.
    if (this.#isEmpty(column)) return
    this.#database._clear({ column }, (thrown) => {
      if (thrown) throw rocksError(this.#dir, thrown)
    })
    this.#counts.set(table, NONE)
    this.#batch._put(sizeKey(table), encodeNumbers(0, 0), { column: this.#heights })
  }

  close(): void {
    void this.#batch.close()
  }

  #writePacked(table: TableName, height: number, packed: PackedRows): void {
    const { bytes, width } = packed
    const step = ORDERED_ROWS * width
    for (let start = 0; start < bytes.length; start += step) {
      const part = { ...packed, bytes: bytes.subarray(start, start + step) }
      for (const place of placesInOrder(part)) this.#writePlace(table, height, part, place)
    }
  }

  #writePlace(table: TableName, height: number, packed: PackedRows, place: number): void {
    const { bytes, width, keyLength } = packed
    const start = (place % ORDERED_ROWS) * width
    const value = start + keyLength
    const end = start + width
    this.put(table, height, {
      key: bytes.subarray(start, value),
      value: bytes.subarray(value, isZero(bytes, value, end) ? value : end),
    })
  }

  /** Writes the batch to RocksDB, whose log preserves the order: a later mark makes these rows durable too. */
  #send(sync: boolean): void {
    try {
      this.#batch._writeSync({ sync })
    } catch (thrown) {
      throw rocksError(this.#dir, thrown)
    } finally {
      this.#batch._clear()
      this.#pending = 0
    }
  }

  #isEmpty(column: RocksColumn): boolean {
    const iterator = this.#database._iterator({
      column,
      fillCache: false,
      asyncIO: false,
      keyEncoding: 'buffer',
      valueEncoding: 'buffer',
    })
    const { rows } = iterator._nextvSync(1)
    void iterator.close()
    return rows.length === 0
  }

  #column(table: TableName): RocksColumn {
    return this.#database.columns[table] as RocksColumn
  }

  #count(
    counts: Map<TableName, RowCount>,
    table: TableName,
    rows: number,
    bytes: number,
    written: number,
  ): void {
    const count = counts.get(table) ?? NONE
    counts.set(table, {
      rows: count.rows + rows,
      bytes: count.bytes + bytes,
      written: count.written + written,
    })
  }

  #putCount(table: TableName): void {
    const { rows, bytes } = this.#counts.get(table) ?? NONE
    this.#batch._put(sizeKey(table), encodeNumbers(rows, bytes), { column: this.#heights })
  }

  #storedCount(table: TableName): RowCount {
    const [stored] = this.#database._getManySync([sizeKey(table)], {
      column: this.#heights,
      valueEncoding: 'buffer',
    })
    if (stored === undefined) return NONE
    return { rows: decodeNumber(stored, 0), bytes: decodeNumber(stored, 1), written: 0 }
  }
}
