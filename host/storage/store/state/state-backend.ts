import type { StoredVersions } from '../../table/stored-versions.ts'
import type { WriteAheadLog } from '../wal/write-ahead-log.ts'
import type { SharedFiles } from './shared-files.ts'
import type { TableName, TableRow } from './table-rows.ts'

/** Writes rows of one table and one height, for the import of a snapshot. */
export interface TableLoader {
  /** Keys ascend. */
  add(row: TableRow): void
  /** Adds the rows to the table, durably. */
  finish(): Promise<void>
}

/** Called with the number of rows processed since the last call. */
export type OnScannedRows = (rows: number) => void

/** One database of the state store: the general member, the EVM member, or one kind of EVM data. */
export interface StateDatabase {
  readonly dir: string
  /** Latest height on disk; -1 if none. */
  readonly latest: number
  /** Lowest height for reads; -1 if none. */
  readonly earliest: number
  /** True if it holds anything besides the genesis block. */
  readonly hasHistory: boolean
  readonly tables: readonly TableName[]
  /** Returns a named height stored beside the tables, or -1 if it was never set. */
  marker(name: string): number
  /** Stores a named height, durably. */
  setMarker(name: string, height: number): void
  table(name: TableName): StoredVersions
  /** Raises the lowest height for reads, durably. */
  raise(pruneHeight: number): void
  /**
   * Starts writing the rows of `table` at `height`, above everything it holds. A database without heights, after an
   * aborted import, loses its rows of that table.
   */
  loader(table: TableName, height: number): TableLoader
  /** Ends an import, durably: `latest`, `earliest` and the markers of `also` become `height`. */
  markLoaded(height: number, also: readonly string[]): void
  /**
   * Removes the rows above `height`, durably, and sets `latest` to it and the markers of `also`; a marker of -1 is
   * removed. After a crash each table is either as before or complete, and it can be repeated.
   */
  cut(
    height: number,
    also: readonly (readonly [string, number])[],
    onRows: OnScannedRows,
  ): Promise<void>
  /**
   * Removes files of interrupted work. Call it after the storage is known to be complete: beside an old list of
   * segments, unlisted files may be the only copy of some heights.
   */
  removeLeftovers(): void
  close(): Promise<void>
}

export interface FlushRequest {
  /** Holds the records of the heights to write. */
  readonly wal: Pick<WriteAheadLog, 'location'>
  /** Lowest height of the chain here, which becomes `earliest` of a database that has none yet. */
  readonly first: number
  /** Latest height to write. */
  readonly to: number
  /** Markers of a database that are set together with its `latest`. */
  readonly also: (database: StateDatabase) => readonly string[]
}

/** A kind of database. */
export interface StateBackend {
  /** Progress of the threads that open its files; undefined if other threads cannot. */
  readonly shared?: SharedFiles
  /** Opens the database in `dir`, or creates it. @throws STORE_CORRUPTED, STORE_FULL */
  open(dir: string, tables: readonly TableName[]): Promise<StateDatabase>
  /** Returns true if `dir` holds a database; creates nothing. */
  holds(dir: string): boolean
  /**
   * Writes to each database the rows of its tables for the heights above its own `latest`, and then its markers, in
   * the order of the databases. Rows are on disk before the markers are. Reads continue meanwhile. Afterwards the
   * background work compacts the segments of flushes, and removes rows that no read at or above a database's
   * `earliest` reaches.
   */
  flush(databases: readonly StateDatabase[], request: FlushRequest): Promise<void>
  /** Returns the bytes of rows that the background work has yet to write. */
  compactionBacklog(): number
  /** Rewrites all rows so that they take the least space; absent if the database does so by itself. */
  compact?(): Promise<void>
  /** Resolves when no background work is left: for tests, and before figures are taken. */
  settle(): Promise<void>
  /** Ends the background work; the databases' owner closes them before or after it. */
  close(): Promise<void>
}
