import type { Changeset } from '../../evm/state/changeset.ts'
import type { ChainStore } from './chain/chain-store.ts'
import type { BlockRecord } from './codec/block-record.ts'
import type { StateStore } from './state/state-store.ts'

/**
 * The node's storage. `append` is the durability point: after the record is on disk, every read of `chain` and
 * `state` sees it and `append` resolves, in one event loop tick. The tables are flushed later and replayed from the
 * write-ahead log after a crash.
 */
export interface Storage {
  readonly chain: ChainStore
  readonly state: StateStore
  /** Appends the record of height `latest + 1` (or the genesis record of height 0) and syncs it. */
  append(record: BlockRecord): Promise<void>
  /** Returns the changesets of heights from..latest in the write-ahead log, in order, for the state commit. */
  changesets(from: number): Iterable<Changeset>
  /** Flushes and closes. Nothing may be called afterwards. */
  close(): Promise<void>
}
