import type { StoreBackend } from './backend-choice.ts'
import type { DroppedIndex } from './chain/chain-databases.ts'
import type { IndexProgress } from './chain/lmdb-chain-store.ts'
import type { BaseState } from './state/base-state.ts'

export interface StorageOptions {
  /** The home's `data` directory. */
  readonly dir: string
  /** `ss-backend`. */
  readonly backend: StoreBackend
  readonly evmSplit: boolean
  readonly evmSeparateDbs: boolean
  /** Heights of state retained (`ss-keep-recent`); 0 retains all. */
  readonly keepRecent: number
  /** Minimum milliseconds between two raises of the state's prune height. Default: any flush may raise it. */
  readonly pruneIntervalMs?: number
  /** Latest blocks retained (`min-retain-blocks`), more if state is retained for longer; 0 retains all. */
  readonly retainBlocks: number
  /** Heights between two flushes of the tables behind the write-ahead log. */
  readonly flushInterval: number
  /** Bytes of state that start a flush earlier; default 96 MiB. */
  readonly flushBytes?: number
  /**
   * True if a block is acknowledged after the operating system has it, before it is on disk. Killing the process
   * loses nothing; a machine that fails may lose the latest blocks.
   */
  readonly isLate?: boolean
  /** Size at which the write-ahead log starts a new file; default 64 MiB. */
  readonly walFileBytes?: number
  /** Undefined for a chain that starts empty, at height 0. */
  readonly base?: BaseState
  /** Called for each index that was dropped because of damage, before it is rebuilt. */
  readonly onDroppedIndex?: (dropped: DroppedIndex) => void
  /** Called with progress while an index that lacks blocks is built. */
  readonly onIndexing?: (progress: IndexProgress) => void
}
