import type { Changeset } from '../../evm/state/changeset.ts'

/**
 * The state commit: decides the app hash. It knows changesets only, never the state store. Calls take
 * effect in their order, whether or not the answer to the one before has come: hashing may run beside
 * whoever calls.
 */
export interface Committer {
  /** Height of the newest committed version; -1 before genesis. */
  readonly version: number
  /** App hash of `version`, 32 bytes. */
  readonly appHash: Uint8Array
  /** Nanoseconds spent so far on hashing and writing, wherever that was. */
  readonly busyNs: number
  /**
   * App hash of the state after `changeset`, whose height is `version + 1`. Nothing is kept until
   * `commit`; staging again replaces what was staged.
   */
  stage(changeset: Changeset): Promise<Uint8Array>
  /**
   * Makes the staged version the newest. It may reach the disk later: the log replays what is missing.
   * After a commit that fails every call fails as it did.
   */
  commit(): Promise<void>
  close(): Promise<void>
}

/** A state commit whose newest versions can be taken back. */
export interface ReversibleCommitter extends Committer {
  /**
   * Takes committed versions back, to `target` or to the newest one before it that can be had: `version` says which.
   * What is staged is given up.
   * @param from lowest height whose changeset can be staged again
   * @throws STATE_PRUNED where no such version can be had; nothing has changed then
   */
  revert(target: number, from: number): Promise<void>
}
