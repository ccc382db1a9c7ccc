import { NO_ACCOUNT } from '../../state/account.ts'
import type { StateFork } from '../../state/state-fork.ts'

/** A state in memory that branches of a chain can be grown from. */
export interface ReplayState extends StateFork {
  /** The same state, to be changed apart from this one. */
  fork(blockHash: (number: number) => Uint8Array | undefined): ReplayState
}

/** Adds wei to an account, which then exists. */
export function credit(state: StateFork, address: Uint8Array, wei: bigint): void {
  const account = state.readAccount(address) ?? NO_ACCOUNT
  state.writeAccount(address, { ...account, balance: account.balance + wei })
}
