import type { Revision } from '../../../evm/chain-types/revision.ts'

/** Rules that a transaction must keep to be taken, whatever the state. */
export interface PoolRules {
  readonly chainId: bigint
  readonly revision: Revision
  /** Gas limit of a block. */
  readonly maxGas: bigint
  /** The lowest the base fee can fall to. */
  readonly minBaseFee: bigint
  /** Least priority fee, in wei per unit of gas. */
  readonly minTip: bigint
  readonly maxTransactionBytes: number
  /** Takes legacy transactions without EIP-155 protection. */
  readonly allowUnprotected: boolean
  /** A development chain: takes impersonated transactions from who may send them. */
  readonly isDevelopment?: boolean
}

/**
 * How much the pool holds, and for how long. A transaction is executable when those before it are there
 * and the account can pay for all of them; else it is queued.
 */
export interface PoolLimits {
  readonly maxTransactions: number
  /** Memory of the transactions (`entry-bytes.ts`). */
  readonly maxBytes: number
  /** Executable ones of an account that a full pool leaves it before those of accounts with fewer. */
  readonly accountSlots: number
  /** Queued ones of one account. */
  readonly accountQueue: number
  /** Queued ones of all accounts. They take half of `maxBytes` at most. */
  readonly globalQueue: number
  /** Percent by which both caps of a replacement exceed those it replaces. */
  readonly priceBump: number
  /** Milliseconds that queued ones stay after the last their account has sent; 0 for ever. */
  readonly lifetime: number
  /** Milliseconds that any transaction stays; 0 for ever. */
  readonly ttlDuration: number
  /** Blocks that any transaction stays; 0 for ever. */
  readonly ttlBlocks: number
}
