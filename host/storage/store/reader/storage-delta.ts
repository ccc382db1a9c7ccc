import type { MemoryDelta } from '../../table/memory-delta.ts'
import type { SharedSegment } from '../../table/segment.ts'
import type { BlockParts } from '../codec/record-codec.ts'
import type { TableName } from '../state/table-rows.ts'

/** The changes of a table since the previous delta, for another thread. */
export interface TableDelta {
  readonly table: TableName
  /** Heights at or above it see no version of a height below it. */
  readonly since: number
  readonly memory: MemoryDelta
  /** The segments on disk; absent if unchanged since the previous delta. */
  readonly segments?: readonly SharedSegment[]
}

/** The state after a block that is on disk, as plain data over shared memory. Deltas must be taken in order. */
export interface StateDelta {
  readonly earliest: number
  /** As in `StateReads`. */
  readonly firstWithEvm: number
  readonly evmWholeFrom: number
  readonly latest: number
  readonly tables: readonly TableDelta[]
  /** Number of its list of files, for `taken`. */
  readonly number: number
  /** An Int32 into which the reader writes the number after it has opened the files. */
  readonly taken: SharedArrayBuffer
}

/** The changes of the chain since the previous delta, for another thread. */
export interface ChainDelta {
  readonly earliest: number
  /** Latest height in the databases. */
  readonly flushed: number
  /** Blocks in order, in shared memory: new ones, and in the first delta all above `flushed`. */
  readonly blocks: readonly BlockParts[]
}

/** Blocks and state after the same block. */
export interface StorageDelta {
  readonly chain: ChainDelta
  readonly state: StateDelta
}
