import type { MarkedEnv } from './lmdb/marked-env.ts'
import type { SplitMembers } from './state/split.ts'
import type { StateBackend } from './state/state-backend.ts'
import type { StoreThread } from './thread/store-thread.ts'
import type { WriteAheadLog } from './wal/write-ahead-log.ts'

/** The open files and threads that a storage is made of. */
export interface StorageParts {
  readonly wal: WriteAheadLog
  readonly thread: StoreThread
  readonly backend: StateBackend
  readonly split: SplitMembers
  readonly blocks: MarkedEnv
  /** The transaction index. */
  readonly transactions: MarkedEnv
  /** The index of EVM logs. */
  readonly logs: MarkedEnv
}
