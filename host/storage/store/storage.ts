import type { Changeset } from '../../evm/state/changeset.ts'
import type { ChainStore } from './chain/chain-store.ts'
import type { BlockRecord } from './codec/block-record.ts'
import type { StateStore } from './state/state-store.ts'

/**
 * The node's storage. `append` is the durability point: once the record is on disk, every read of `chain` and
 * `state` sees it and `append` resolves, in one turn; before, none does. The tables behind are flushed later and
 * replayed from the write-ahead log after a crash.
 */
export interface Storage {
  readonly chain: ChainStore
  readonly state: StateStore
  /** Appends the record of height `latest + 1` (or the genesis record of height 0) and syncs it. */
  append(record: BlockRecord): Promise<void>
  /** Changesets of heights from..latest that the write-ahead log still holds, in order: for the state commit. */
  changesets(from: number): Iterable<Changeset>
  /** Flushes and closes; after it nothing may be called. */
  close(): Promise<void>
}
