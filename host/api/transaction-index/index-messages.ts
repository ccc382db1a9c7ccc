import type { PlainError } from '../../base/plain-error.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StateArea } from '../trace-pool/state-port.ts'
import type { SourceBlock } from './source-block.ts'

/** The tables of the index; those that need no replay first. */
export type IndexTableName = 'hashes' | 'addresses'

/** What the worker needs to replay blocks. */
export interface ReplayAccess {
  readonly modules: EngineModules
  /** The shared memory through which the worker reads states. */
  readonly area: StateArea
}

/** Start-up data of the index worker. */
export interface IndexWorkerData {
  /** Folder of each enabled table, which the main thread has opened and verified. */
  readonly dirs: Readonly<Record<IndexTableName, string | undefined>>
  /** Undefined if no table needs a replay. */
  readonly replay: ReplayAccess | undefined
}

/** Messages to the worker, which processes them in order. */
export type ToIndexWorker =
  /** Adds the blocks after the last one to the tables; removes rows below `pruneHeight`. */
  | {
      readonly kind: 'add'
      readonly tables: readonly IndexTableName[]
      readonly blocks: readonly SourceBlock[]
      /**
       * Run number with which the worker requests the state before the first block; the other blocks use the next
       * numbers.
       */
      readonly firstRun: number
      readonly pruneHeight: number
    }
  /** Removes the blocks above a height from a table: they are no longer part of the chain. */
  | {
      readonly kind: 'cut'
      readonly table: IndexTableName
      readonly height: number
      /** Hash of the block at that height; empty if there is none. */
      readonly hash: Uint8Array
    }
  /** The tables are closed, and nothing may follow. */
  | { readonly kind: 'close' }

/** The error of each table of an `add`; undefined for a table whose rows are on disk. */
export type IndexOutcomes = readonly (PlainError | undefined)[]
