import { type Account, NO_ACCOUNT } from '../../state/account.ts'
import type { StateDiff } from '../../state/diff.ts'
import type { StateView } from '../../state/view.ts'

/** What the replay mode needs of a state beyond reading it. */
export interface ReplayState extends StateView {
  readAccount(address: Uint8Array): Account | undefined
  /** Sets the account and keeps its storage; undefined deletes both. */
  writeAccount(address: Uint8Array, account: Account | undefined): void
  apply(diff: StateDiff): void
  /** Root of the secure Merkle Patricia trie of accounts, 32 bytes. */
  root(): Uint8Array
  /** The same state, to be changed apart from this one. */
  fork(blockHash: (number: number) => Uint8Array | undefined): ReplayState
}

/** Hashes of blocks: commit.wasm's. */
export interface BlockHasher {
  keccak256(bytes: Uint8Array): Uint8Array
  /** Root of the Merkle Patricia trie of rows, 32 bytes. */
  trieRoot(rows: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array
}

/** Adds wei to an account, which then exists. */
export function credit(state: ReplayState, address: Uint8Array, wei: bigint): void {
  const account = state.readAccount(address) ?? NO_ACCOUNT
  state.writeAccount(address, { ...account, balance: account.balance + wei })
}
