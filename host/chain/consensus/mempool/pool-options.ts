import type { Revision } from '../../../evm/chain-types/revision.ts'

/** Rules for accepting a transaction, independent of the state. */
export interface PoolRules {
  readonly chainId: bigint
  readonly revision: Revision
  /** Gas limit of a block. */
  readonly maxGas: bigint
  /** Minimum base fee. */
  readonly minBaseFee: bigint
  /** Minimum priority fee in wei per gas. */
  readonly minTip: bigint
  readonly maxTransactionBytes: number
  /** Accepts legacy transactions without EIP-155 protection. */
  readonly allowUnprotected: boolean
  /** Development chain: accepts impersonated transactions. */
  readonly isDevelopment?: boolean
  /** Any higher fee cap replaces a transaction, as in anvil, in place of `PoolLimits.priceBump`. */
  readonly replacesByCap?: boolean
}

/**
 * Capacity and lifetime limits of the pool. A transaction is executable if all earlier nonces are present and the
 * account can pay for all of them; otherwise it is queued.
 */
export interface PoolLimits {
  readonly maxTransactions: number
  /** Memory limit in bytes (`entry-bytes.ts`). */
  readonly maxBytes: number
  /** Executable transactions of an account that a full pool protects against those of smaller accounts. */
  readonly accountSlots: number
  /** Limit of queued transactions per account. */
  readonly accountQueue: number
  /** Limit of queued transactions in total. They take at most half of `maxBytes`. */
  readonly globalQueue: number
  /** Percent by which a replacement must raise both caps. */
  readonly priceBump: number
  /** True to propose transactions in the order of arrival, whatever their tips. */
  readonly isByArrival?: boolean
  /** Milliseconds after an account's last transaction until its queued ones expire; 0 for never. */
  readonly lifetime: number
  /** Milliseconds until any transaction expires; 0 for never. */
  readonly ttlDuration: number
  /** Blocks until any transaction expires; 0 for never. */
  readonly ttlBlocks: number
}
