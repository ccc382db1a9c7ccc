import type { Withdrawal } from '../../chain-types/block.ts'
import type { EthereumHeader } from '../../chain-types/ethereum-header.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import { NO_ACCOUNT } from '../../state/account.ts'
import type { StateFork } from '../../state/state-fork.ts'

const GWEI = 1_000_000_000n
const ETHER = 10n ** 18n

/** Adds wei to an account, and creates the account where there is none. */
export function credit(state: StateFork, address: Uint8Array, wei: bigint): void {
  const account = state.readAccount(address) ?? NO_ACCOUNT
  state.writeAccount(address, { ...account, balance: account.balance + wei })
}

/** Credits the withdrawals of a block to their accounts (EIP-4895). */
export function payWithdrawals(state: StateFork, withdrawals: readonly Withdrawal[]): void {
  for (const { address, amount } of withdrawals) {
    // A withdrawal of 0 wei creates no account (EIP-161).
    if (amount > 0n) credit(state, address, amount * GWEI)
  }
}

/** Wei for a block before the merge: EIP-649, EIP-1234. */
function blockReward(revision: Revision): bigint {
  if (atLeast(revision, 'Constantinople')) return 2n * ETHER
  return (atLeast(revision, 'Byzantium') ? 3n : 5n) * ETHER
}

/** Pays the miners of a block and of its ommers (yellow paper, 11.3). From Paris on there are no rewards. */
export function payRewards(
  state: StateFork,
  header: EthereumHeader,
  ommers: readonly EthereumHeader[],
  revision: Revision,
): void {
  if (atLeast(revision, 'Paris')) return
  const reward = blockReward(revision)
  for (const ommer of ommers) {
    credit(state, ommer.coinbase, ((8n + ommer.number - header.number) * reward) / 8n)
  }
  credit(state, header.coinbase, reward + (reward / 32n) * BigInt(ommers.length))
}
