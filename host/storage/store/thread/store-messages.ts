import type { ChainDirs } from '../chain/lmdb-chain-store.ts'
import type { TableName } from '../state/table-rows.ts'
import type { WalLocation } from '../wal/write-ahead-log.ts'

/** A file to write with the rows of heights above `above`. */
export interface FlushOutput {
  readonly table: TableName
  readonly path: string
  readonly above: number
}

/** Work for the thread that writes records of the write-ahead log to the tables. */
export type StoreWork =
  | {
      readonly kind: 'flush'
      readonly records: readonly WalLocation[]
      readonly outputs: readonly FlushOutput[]
    }
  | {
      readonly kind: 'compact'
      /** Latest first. */
      readonly inputs: readonly string[]
      readonly path: string
      readonly pruneHeight: number
      readonly isBottom: boolean
    }
  | {
      readonly kind: 'chain'
      readonly dirs: ChainDirs
      /** Lowest height of the chain. */
      readonly first: number
      readonly records: readonly WalLocation[]
    }
  | {
      /** Removes the blocks above a height. */
      readonly kind: 'cut'
      readonly dirs: ChainDirs
      readonly height: number
    }
  | { readonly kind: 'close' }

/** Paths of the segments written, complete and synced; empty if there was no row to write. */
export type WrittenFiles = readonly string[]
