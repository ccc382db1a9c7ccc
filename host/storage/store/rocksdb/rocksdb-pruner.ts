import { readVersion, VERSION_BYTES } from '../../table/version.ts'
import type { TableName, TableRow } from '../state/table-rows.ts'
import {
  decodeNumber,
  encodeNumbers,
  HEIGHTS_COLUMN,
  prunedKey,
  rocksError,
} from './rocksdb-columns.ts'
import type { RocksLevel, RocksRange } from './rocksdb-module.ts'
import { isVersionOf, orderedRange } from './rocksdb-table.ts'
import type { RocksWriter } from './rocksdb-writer.ts'

/** Rows scanned per step, some milliseconds, the longest a flush waits. */
const SLICE = 4096
const CHUNK_ROWS = 512
const NO_KEY = new Uint8Array(0)

/** The progress of pruning in one table. */
interface Progress {
  /** True if every row was scanned for this prune height. */
  readonly done: number
  /** The prune height of the current pass. */
  readonly pruneHeight: number
  /** The key at which it continues. */
  readonly next: Uint8Array
}

/**
 * Removes, one slice at a time, the rows that no read at or above a prune height reaches: all but the latest version
 * at or below it, and that too if it is a tombstone. Passes over a table repeat while the prune height rises. The
 * database stores where a pass stopped.
 */
export class RocksPruner {
  readonly #dir: string
  readonly #database: RocksLevel
  readonly #writer: RocksWriter
  readonly #progress = new Map<TableName, Progress>()
  #pruneHeight = 0

  constructor(
    dir: string,
    database: RocksLevel,
    writer: RocksWriter,
    tables: readonly TableName[],
  ) {
    this.#dir = dir
    this.#database = database
    this.#writer = writer
    for (const table of tables) this.#progress.set(table, this.#storedProgress(table))
  }

  raise(pruneHeight: number): void {
    if (pruneHeight > this.#pruneHeight) this.#pruneHeight = pruneHeight
  }

  /** Processes one slice. @returns true if rows are left to scan. */
  step(): boolean {
    for (const [table, progress] of this.#progress) {
      if (progress.done >= this.#pruneHeight) continue
      const isBegun = progress.next.length > 0
      this.#slice(table, isBegun ? progress : { ...progress, pruneHeight: this.#pruneHeight })
      return true
    }
    return false
  }

  #slice(table: TableName, { done, pruneHeight, next }: Progress): void {
    const dead: TableRow[] = []
    let rows = 0
    let key: Uint8Array | undefined
    let isReached = false
    let rest: Uint8Array = NO_KEY
    for (const row of this.#rows(table, next)) {
      if (key === undefined || !isVersionOf(row.key, key)) {
        key = row.key.subarray(0, row.key.length - VERSION_BYTES)
        if (rows >= SLICE) {
          rest = key
          break
        }
        isReached = false
      }
      rows++
      if (readVersion(row.key, key.length) > this.#pruneHeight) continue
      if (isReached || row.value.length === 0) dead.push(row)
      isReached = true
    }
    const progress = { done: rest.length === 0 ? pruneHeight : done, pruneHeight, next: rest }
    this.#progress.set(table, progress)
    if (dead.length === 0 && rest.length > 0) return
    const state = Buffer.concat([encodeNumbers(progress.done, pruneHeight), rest])
    this.#writer.remove(table, dead, prunedKey(table), state)
  }

  *#rows(table: TableName, start: Uint8Array): Generator<TableRow, void> {
    const column = this.#database.columns[table] as RocksRange['column']
    const iterator = this.#database._iterator(orderedRange(table, column, { start, values: true }))
    try {
      for (let finished = false; !finished; ) {
        const chunk = iterator._nextvSync(CHUNK_ROWS)
        for (let i = 0; i < chunk.rows.length; i += 2) {
          const key = chunk.rows[i] as Uint8Array
          // The range may start below `start`, among keys already scanned.
          if (Buffer.compare(key, start) < 0) continue
          yield { key, value: chunk.rows[i + 1] as Uint8Array }
        }
        finished = chunk.finished
      }
    } catch (thrown) {
      throw rocksError(this.#dir, thrown)
    } finally {
      void iterator.close()
    }
  }

  #storedProgress(table: TableName): Progress {
    const [stored] = this.#database._getManySync([prunedKey(table)], {
      column: this.#database.columns[HEIGHTS_COLUMN] as RocksRange['column'],
      valueEncoding: 'buffer',
    })
    if (stored === undefined) return { done: 0, pruneHeight: 0, next: NO_KEY }
    return {
      done: decodeNumber(stored, 0),
      pruneHeight: decodeNumber(stored, 1),
      next: new Uint8Array(stored.subarray(16)),
    }
  }
}
