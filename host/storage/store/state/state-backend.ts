import type { StoredVersions } from '../../table/stored-versions.ts'
import type { WriteAheadLog } from '../wal/write-ahead-log.ts'
import type { SharedFiles } from './shared-files.ts'
import type { TableName, TableRow } from './table-rows.ts'

/** Writes the rows of one table that all are of one height: how a snapshot is imported. */
export interface TableLoader {
  /** Keys ascend. */
  add(row: TableRow): void
  /** Makes the rows part of the table, durably. */
  finish(): Promise<void>
}

/** Told of rows that were gone through since the last call. */
export type OnRows = (rows: number) => void

/** One database of the state store: the general member, the EVM member, or one kind of EVM data. */
export interface StateDatabase {
  readonly dir: string
  /** Newest height on disk; -1 when there is none. */
  readonly latest: number
  /** Lowest height that reads answer for; -1 when there is none. */
  readonly earliest: number
  /** True when it holds anything but the genesis block. */
  readonly hasHistory: boolean
  readonly tables: readonly TableName[]
  /** A named height kept beside the tables; -1 when it was never set. */
  marker(name: string): number
  /** Keeps a named height, durably. */
  setMarker(name: string, height: number): void
  table(name: TableName): StoredVersions
  /** Raises the lowest height that reads answer for; durable. */
  raise(pruneHeight: number): void
  /**
   * Begins to write the rows of `table` at `height`, above all it holds. A database without heights, where an
   * import was broken off, loses the rows it has of that table.
   */
  loader(table: TableName, height: number): TableLoader
  /** Ends an import, durably: `latest`, `earliest` and the markers of `also` become `height`. */
  markLoaded(height: number, also: readonly string[]): void
  /**
   * Removes the rows above `height`, durably, and sets `latest` to it and the markers of `also`; a marker of -1 is
   * removed. After a crash all of a table is as before or as wanted, and doing it again ends well.
   */
  cut(height: number, also: readonly (readonly [string, number])[], onRows: OnRows): Promise<void>
  /**
   * Removes files that work that was cut short has left. Called once the storage is known to be whole: beside
   * an old list of segments, the files it lacks are all there is of some heights.
   */
  removeLeftovers(): void
  close(): Promise<void>
}

export interface FlushRequest {
  /** Holds the records of the heights to write. */
  readonly wal: Pick<WriteAheadLog, 'location'>
  /** Lowest height of the chain here: `earliest` of a database that has none yet. */
  readonly first: number
  /** Newest height to write. */
  readonly to: number
  /** Markers of a database that move with its `latest`. */
  readonly also: (database: StateDatabase) => readonly string[]
}

/** A kind of database. */
export interface StateBackend {
  /** Where any thread may open its files: how far those threads are. */
  readonly shared?: SharedFiles
  /** Opens the database in `dir`, making it where there is none. @throws STORE_CORRUPTED, STORE_FULL */
  open(dir: string, tables: readonly TableName[]): Promise<StateDatabase>
  /** True when `dir` holds a database; creates nothing. */
  holds(dir: string): boolean
  /**
   * Writes into each database the rows of its tables for the heights above its own `latest`, and then its
   * markers, database after database in the order given. Rows are on disk before the markers are. Reads go
   * on beside it. Segments that flushes leave are compacted, and rows that no read at or above a database's
   * `earliest` reaches are removed, in the background afterwards.
   */
  flush(databases: readonly StateDatabase[], request: FlushRequest): Promise<void>
  /** Bytes of rows that work of the background waits to write: how far it is behind. */
  compactionBacklog(): number
  /** Resolves when no work of the background is left: for tests, and before figures are taken. */
  settle(): Promise<void>
  /** Ends the work of the background; the databases are closed before or after it by their owner. */
  close(): Promise<void>
}
