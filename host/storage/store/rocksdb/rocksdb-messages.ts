import type { PlainError } from '../../../base/plain-error.ts'
import type { TableName } from '../state/table-rows.ts'
import type { WalLocation } from '../wal/write-ahead-log.ts'

/** Contents of a table: versions, and bytes of their keys and values. */
export interface RowCount {
  readonly rows: number
  readonly bytes: number
  /** Bytes of keys and values written since the database was opened. */
  readonly written: number
}

export type RowCounts = ReadonlyMap<TableName, RowCount>

/** A database behind the write-ahead log, which needs the rows of heights above `above`. */
export interface FlushTarget {
  readonly database: number
  readonly above: number
}

/** A task for the thread; `database` is the number of a database. */
export type WriterTask =
  | {
      readonly kind: 'open'
      readonly database: number
      readonly dir: string
      readonly handle: bigint
      readonly tables: readonly TableName[]
    }
  /** Writes the rows of records; durable only with the next `mark` of each database. */
  | {
      readonly kind: 'write'
      readonly records: readonly WalLocation[]
      readonly targets: readonly FlushTarget[]
    }
  /** Sets named heights and makes all that was written durable. */
  | {
      readonly kind: 'mark'
      readonly database: number
      readonly heights: readonly (readonly [string, number])[]
    }
  /** Begins to remove, beside other work, what no read at or above `pruneHeight` reaches. */
  | { readonly kind: 'prune'; readonly database: number; readonly pruneHeight: number }
  /** Removes the rest of it without pauses. */
  | { readonly kind: 'settle' }
  /** Uses the database no more. */
  | { readonly kind: 'release'; readonly database: number }

/** A report about a database, besides the answers to requests. */
export interface WriterReport {
  readonly database: number
  readonly counts?: RowCounts
  /** The error for which pruning was abandoned. */
  readonly error?: PlainError
}
