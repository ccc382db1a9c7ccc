import type { Revision } from '../../chain-types/revision.ts'

/** Rules that a transaction must keep to be taken, whatever the state. */
export interface PoolRules {
  readonly chainId: bigint
  readonly revision: Revision
  /** Gas limit of a block. */
  readonly maxGas: bigint
  /** The lowest the base fee can fall to. */
  readonly minBaseFee: bigint
  /** Least priority fee, wei a gas. */
  readonly minTip: bigint
  readonly maxTransactionBytes: number
  /** Takes legacy transactions without EIP-155 protection. */
  readonly allowUnprotected: boolean
}

/** How much the pool holds, and for how long. */
export interface PoolLimits {
  readonly maxTransactions: number
  readonly maxBytes: number
  /** Transactions of one sender, executable and waiting. */
  readonly maxPerSender: number
  /** Milliseconds that a transaction stays; 0 for ever. */
  readonly ttlDuration: number
  /** Blocks that a transaction stays; 0 for ever. */
  readonly ttlBlocks: number
}
