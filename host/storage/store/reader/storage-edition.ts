import type { MemoryEdition } from '../../table/memory-edition.ts'
import type { SharedSegment } from '../../table/segment.ts'
import type { BlockParts } from '../codec/record-codec.ts'
import type { TableName } from '../state/table-rows.ts'

/** A table after some height, as another thread takes it over: what it does not have yet. */
export interface TableEdition {
  readonly table: TableName
  /** Heights at or above it see no version of a height below it. */
  readonly since: number
  readonly memory: MemoryEdition
  /** The segments on disk; absent where they are those that were said before. */
  readonly segments?: readonly SharedSegment[]
}

/** The state after a block that is on disk, as plain data over shared memory. Editions are taken one after another. */
export interface StateEdition {
  readonly earliest: number
  /** As `StateReads` has them. */
  readonly firstWithEvm: number
  readonly evmWholeFrom: number
  readonly latest: number
  readonly tables: readonly TableEdition[]
  /** Of its list of files, for `taken`. */
  readonly number: number
  /** An Int32 into which the reader writes the number, once it has the files open. */
  readonly taken: SharedArrayBuffer
}

/** The newest blocks, as another thread takes them over: what it does not have yet. */
export interface ChainEdition {
  readonly earliest: number
  /** Newest height that the databases hold. */
  readonly flushed: number
  /** Those that have come, in their order, in shared memory; first all that are above `flushed`. */
  readonly blocks: readonly BlockParts[]
}

/** Blocks and state after the same block. */
export interface StorageEdition {
  readonly chain: ChainEdition
  readonly state: StateEdition
}
