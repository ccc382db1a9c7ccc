import { bigintToBytes, bytesKey } from '../../../base/bytes.ts'
import type { Withdrawal } from '../../chain-types/block.ts'
import type { EthereumHeader } from '../../chain-types/ethereum-header.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import { NO_ACCOUNT } from '../../state/account.ts'
import type { StateFork } from '../../state/state-fork.ts'
import type { AccessListBuilder } from '../access-list-builder.ts'

const GWEI = 1_000_000_000n
const ETHER = 10n ** 18n

/** Adds wei to an account, creating it if necessary. */
export function credit(state: StateFork, address: Uint8Array, wei: bigint): void {
  const account = state.readAccount(address) ?? NO_ACCOUNT
  state.writeAccount(address, { ...account, balance: account.balance + wei })
}

/** Credits a block's withdrawals (EIP-4895). */
export function payWithdrawals(state: StateFork, withdrawals: readonly Withdrawal[]): void {
  for (const { address, amount } of withdrawals) {
    // A withdrawal of 0 wei creates no account (EIP-161).
    if (amount > 0n) credit(state, address, amount * GWEI)
  }
}

/** Adds the withdrawals that a state has been credited with to the access list, as the message at `index` (EIP-7928). */
export function listWithdrawals(
  accesses: AccessListBuilder,
  state: StateFork,
  withdrawals: readonly Withdrawal[],
  index: number,
): void {
  const gains = new Map<string, { readonly address: Uint8Array; readonly amount: bigint }>()
  for (const { address, amount } of withdrawals) {
    const key = bytesKey(address)
    gains.set(key, { address, amount: (gains.get(key)?.amount ?? 0n) + amount })
  }
  for (const { address, amount } of gains.values()) {
    const balance = state.readAccount(address)?.balance ?? 0n
    accesses.addBalance(address, index, amount > 0n ? bigintToBytes(balance, 32) : undefined)
  }
}

/** Returns the block reward in wei before the merge (EIP-649, EIP-1234). */
function blockReward(revision: Revision): bigint {
  if (atLeast(revision, 'Constantinople')) return 2n * ETHER
  return (atLeast(revision, 'Byzantium') ? 3n : 5n) * ETHER
}

/** Reward for the author of a block or an ommer, in wei. */
export interface Reward {
  readonly kind: 'block' | 'uncle'
  readonly author: Uint8Array
  readonly wei: bigint
}

/**
 * Returns the rewards of a block (Yellow Paper, section 11.3), the block author's first. Empty for genesis and since
 * Paris.
 */
export function rewardsOf(
  header: EthereumHeader,
  ommers: readonly EthereumHeader[],
  revision: Revision,
): readonly Reward[] {
  if (atLeast(revision, 'Paris') || header.number === 0n) return []
  const reward = blockReward(revision)
  const wei = reward + (reward / 32n) * BigInt(ommers.length)
  return [
    { kind: 'block', author: header.coinbase, wei },
    ...ommers.map(({ coinbase, number }) => ({
      kind: 'uncle' as const,
      author: coinbase,
      wei: ((8n + number - header.number) * reward) / 8n,
    })),
  ]
}

/** Pays the authors of a block and its ommers. */
export function payRewards(
  state: StateFork,
  header: EthereumHeader,
  ommers: readonly EthereumHeader[],
  revision: Revision,
): void {
  for (const { author, wei } of rewardsOf(header, ommers, revision)) credit(state, author, wei)
}
