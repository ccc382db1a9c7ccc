import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { delay } from '../../../base/timer.ts'
import type { StoredVersions, TableSize } from '../../table/stored-versions.ts'
import { readVersion, VERSION_BYTES } from '../../table/version.ts'
import type { OnScannedRows, StateDatabase, TableLoader } from '../state/state-backend.ts'
import type { TableName, TableRow } from '../state/table-rows.ts'
import {
  databaseOptions,
  decodeNumber,
  HEIGHTS_COLUMN,
  heightKey,
  rocksError,
} from './rocksdb-columns.ts'
import type { RowCount, RowCounts } from './rocksdb-messages.ts'
import type { RocksColumn, RocksLevel, RocksModule } from './rocksdb-module.ts'
import { RocksTable } from './rocksdb-table.ts'
import type { RocksThread, WriterListener } from './rocksdb-thread.ts'
import { RocksWriter } from './rocksdb-writer.ts'

const POLL_MS = 10
/** Rows scanned between two writes of a cut. */
const CUT_ROWS = 4096
const NONE: RowCount = { rows: 0, bytes: 0, written: 0 }

interface Attachment {
  readonly thread: RocksThread
  /** The thread's number for the database. */
  readonly database: number
}

/** Returns the bytes of the files of sorted rows in `dir`. */
function tableBytes(dir: string): number {
  let bytes = 0
  for (const name of readdirSync(dir)) {
    if (!name.endsWith('.sst')) continue
    // RocksDB may remove a file at any time.
    bytes += statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

/** Writes the rows of an import on this thread, which is otherwise idle then. */
class RocksLoader implements TableLoader {
  readonly #writer: RocksWriter
  readonly #table: TableName
  readonly #height: number

  constructor(writer: RocksWriter, table: TableName, height: number) {
    this.#writer = writer
    this.#table = table
    this.#height = height
  }

  add(row: TableRow): void {
    this.#writer.put(this.#table, this.#height, row)
  }

  async finish(): Promise<void> {
    this.#writer.mark([])
  }
}

/** A database of the state store on RocksDB: one column per table, and one of named heights. */
export class RocksDatabase implements StateDatabase, WriterListener {
  readonly dir: string
  readonly tables: readonly TableName[]
  readonly onFailure: (thrown: unknown) => void
  readonly #database: RocksLevel
  readonly #byName = new Map<TableName, RocksTable>()
  readonly #heights = new Map<string, number>()
  /** For the writes of this thread: prune heights and imports. */
  readonly #writer: RocksWriter
  /** Counts of the other thread, after it has written here. */
  #counts: RowCounts | undefined
  #attached: Attachment | undefined
  #released: Promise<void> | undefined
  #isClosed = false

  /** @throws STORE_CORRUPTED, STORE_FULL, HOME_LOCKED */
  static async open(
    rocks: RocksModule,
    dir: string,
    tables: readonly TableName[],
    onFailure: (thrown: unknown) => void,
  ): Promise<RocksDatabase> {
    const options = databaseOptions(tables)
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      const database = new rocks.RocksLevel(dir, options)
      await database.open(options)
      return new RocksDatabase(dir, tables, database, onFailure)
    } catch (thrown) {
      throw rocksError(dir, thrown)
    }
  }

  private constructor(
    dir: string,
    tables: readonly TableName[],
    database: RocksLevel,
    onFailure: (thrown: unknown) => void,
  ) {
    this.onFailure = onFailure
    this.dir = dir
    this.tables = tables
    this.#database = database
    this.#writer = new RocksWriter(dir, database, tables)
    for (const name of tables) {
      this.#byName.set(name, new RocksTable(dir, name, database, () => this.#size(name)))
    }
  }

  get latest(): number {
    return this.marker('latest')
  }

  get earliest(): number {
    return this.marker('earliest')
  }

  get hasHistory(): boolean {
    return this.latest > 0 || this.earliest > 0
  }

  marker(name: string): number {
    const known = this.#heights.get(name)
    if (known !== undefined) return known
    const [stored] = this.#database._getManySync([heightKey(name)], {
      column: this.#database.columns[HEIGHTS_COLUMN] as RocksColumn,
      valueEncoding: 'buffer',
    })
    const height = stored === undefined ? -1 : decodeNumber(stored, 0)
    this.#heights.set(name, height)
    return height
  }

  setMarker(name: string, height: number): void {
    this.#writer.mark([[name, height]])
    this.#heights.set(name, height)
  }

  table(name: TableName): StoredVersions {
    const table = this.#byName.get(name)
    if (table === undefined) throw new Error(`database ${this.dir} has no table ${name}`)
    return table
  }

  raise(pruneHeight: number): void {
    if (this.earliest >= pruneHeight) return
    this.#writer.mark([['earliest', pruneHeight]])
    this.#heights.set('earliest', pruneHeight)
  }

  loader(table: TableName, height: number): TableLoader {
    // An aborted import left rows but no heights.
    if (this.latest < 0) this.#writer.clear(table)
    return new RocksLoader(this.#writer, table, height)
  }

  async cut(
    height: number,
    also: readonly (readonly [string, number])[],
    onRows: OnScannedRows,
  ): Promise<void> {
    for (const table of this.tables) {
      let dead: TableRow[] = []
      let seen = 0
      for (const row of (this.#byName.get(table) as RocksTable).rows()) {
        if (readVersion(row.key, row.key.length - VERSION_BYTES) > height) dead.push(row)
        if (++seen % CUT_ROWS !== 0) continue
        onRows(CUT_ROWS)
        this.#writer.delete(table, dead)
        dead = []
      }
      onRows(seen % CUT_ROWS)
      this.#writer.delete(table, dead)
    }
    const heights = [['latest', height] as const, ...also]
    this.#writer.mark(heights)
    this.#take(heights)
  }

  /** RocksDB removes its leftover files itself. */
  removeLeftovers(): void {}

  markLoaded(height: number, also: readonly string[]): void {
    const heights = ['latest', 'earliest', ...also].map((name) => [name, height] as const)
    this.#writer.mark(heights)
    this.#take(heights)
  }

  /** Lets `thread` write to this database. @returns the thread's number for it. */
  async attach(thread: RocksThread): Promise<number> {
    if (this.#attached !== undefined) return this.#attached.database
    const database = thread.register(this)
    const { dir, tables } = this
    await thread.run({ kind: 'open', database, dir, handle: this.#database.handle, tables })
    this.#attached = { thread, database }
    return database
  }

  /** Makes the rows that the thread wrote durable, and then the heights. */
  async mark(first: number, to: number, also: readonly string[]): Promise<void> {
    const heights: [string, number][] = [['latest', to]]
    for (const name of also) heights.push([name, to])
    if (this.earliest < 0) heights.push(['earliest', first])
    const { thread, database } = this.#attached as Attachment
    await thread.run({ kind: 'mark', database, heights })
    this.#take(heights)
  }

  /** Starts to remove rows that no read reaches. */
  async prune(): Promise<void> {
    const { thread, database } = this.#attached as Attachment
    if (this.earliest > 0) await thread.run({ kind: 'prune', database, pruneHeight: this.earliest })
  }

  /** Resolves when RocksDB's own threads have nothing to write. */
  async settle(): Promise<void> {
    const isBusy = (name: string) =>
      this.#database.getProperty(`rocksdb.num-running-${name}`) !== '0'
    while (!this.#isClosed && (isBusy('flushes') || isBusy('compactions'))) await delay(POLL_MS)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.release()
    this.#writer.close()
    for (const table of this.#byName.values()) table.refresh()
    await this.#database.close()
  }

  /** Resolves when no other thread uses the database. */
  async release(): Promise<void> {
    if (this.#attached === undefined) return
    const { thread, database } = this.#attached
    // A dead thread no longer uses it either.
    this.#released ??= thread.run({ kind: 'release', database }).catch(() => {})
    await this.#released
  }

  onCounts(counts: RowCounts): void {
    this.#counts = counts
  }

  #take(heights: readonly (readonly [string, number])[]): void {
    for (const [name, height] of heights) this.#heights.set(name, height)
    for (const table of this.#byName.values()) table.refresh()
  }

  /**
   * The files contain all columns, so each table gets a share by the bytes of its rows. Bytes that RocksDB writes for
   * compaction are not included: it does not report them by column.
   */
  #size(name: TableName): TableSize {
    const counts = this.#counts ?? this.#writer.counts
    const { rows, bytes, written } = counts.get(name) ?? NONE
    let total = 0
    for (const count of counts.values()) total += count.bytes
    const loaded = this.#counts === undefined ? 0 : (this.#writer.counts.get(name)?.written ?? 0)
    return {
      rows,
      bytes: total === 0 ? 0 : Math.round((tableBytes(this.dir) * bytes) / total),
      bytesWritten: written + loaded,
    }
  }
}
