import type { Changeset } from '../../evm/state/changeset.ts'

/**
 * The state commit, which computes the app hash from changesets only, never from the state store. Calls take effect
 * in order, without waiting for one another's results: hashing may run on another thread.
 */
export interface Committer {
  /** Height of the latest committed version; -1 before genesis. */
  readonly version: number
  /** App hash of `version`, 32 bytes. */
  readonly appHash: Uint8Array
  /** Nanoseconds spent so far on hashing and writing, on any thread. */
  readonly busyNs: number
  /**
   * Returns the app hash of the state after `changeset`, whose height is `version + 1`. Nothing is committed before
   * `commit`; staging again replaces the staged changeset.
   */
  stage(changeset: Changeset): Promise<Uint8Array>
  /**
   * Commits the staged version. It may reach the disk later: the write-ahead log replays what is missing. After a
   * failed commit every call fails with the same error.
   */
  commit(): Promise<void>
  close(): Promise<void>
}

/** A state commit whose latest versions can be reverted. */
export interface ReversibleCommitter extends Committer {
  /**
   * Reverts committed versions to `target`, or to the latest reachable version before it: `version` says which.
   * Discards what is staged.
   * @param from - Lowest height whose changeset can be staged again.
   * @throws STATE_PRUNED if no such version can be reached; nothing has changed then
   */
  revert(target: number, from: number): Promise<void>
}
