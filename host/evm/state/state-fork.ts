import type { StateDiff } from '../engine/state-diff.ts'
import type { Account } from './account.ts'
import type { StateView } from './view.ts'

/** A state that can be changed apart from the one it began as. */
export interface StateFork extends StateView {
  /** The account, decoded; undefined where there is none. */
  readAccount(address: Uint8Array): Account | undefined
  /** Sets the account and keeps its storage; undefined deletes both. */
  writeAccount(address: Uint8Array, account: Account | undefined): void
  apply(diff: StateDiff): void
  /**
   * Root of the secure Merkle Patricia trie of accounts, 32 bytes; zeros on a chain whose state commit is
   * no such trie.
   */
  root(): Uint8Array
}
