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
  /** Heights of state kept (`ss-keep-recent`); 0 keeps all. */
  readonly keepRecent: number
  /** Least milliseconds between two raises of the prune height of the state; each flush may when absent. */
  readonly pruneIntervalMs?: number
  /** Newest blocks kept (`min-retain-blocks`), and more where state is kept for longer; 0 keeps all. */
  readonly retainBlocks: number
  /** Heights between two flushes of the tables behind the write-ahead log. */
  readonly flushInterval: number
  /** Bytes of state after which a flush begins earlier; 96 MiB when absent. */
  readonly flushBytes?: number
  /**
   * True: a block is acknowledged once the system has it, before it is on disk. A process that is killed loses nothing,
   * a machine that goes down may lose the newest blocks.
   */
  readonly isLate?: boolean
  /** Size from which on a file of the write-ahead log gets a successor; 64 MiB when absent. */
  readonly walFileBytes?: number
  /** Undefined for a chain that begins with nothing, at height 0. */
  readonly base?: BaseState
  /** Called for each index that was dropped because it was damaged, before it is built again. */
  readonly onDroppedIndex?: (dropped: DroppedIndex) => void
  /** Called as an index is built, where a home has blocks that it lacks. */
  readonly onIndexing?: (progress: IndexProgress) => void
}
