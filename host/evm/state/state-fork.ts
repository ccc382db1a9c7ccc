import type { StateDiff } from '../engine/state-diff.ts'
import type { Account } from './account.ts'
import type { StateView } from './view.ts'

/** A state that can be changed independently of its base. */
export interface StateFork extends StateView {
  /** Returns the decoded account; undefined if it does not exist. */
  readAccount(address: Uint8Array): Account | undefined
  /** Sets the account and keeps its storage; undefined deletes both. */
  writeAccount(address: Uint8Array, account: Account | undefined): void
  apply(diff: StateDiff): void
  /** Returns all changes since the base as one block's diff. */
  diff(): StateDiff
  /**
   * Returns the root of the secure Merkle Patricia trie of accounts, 32 bytes; zeros on a chain with another state
   * commitment.
   */
  root(): Uint8Array
}
