import type { Revision } from '../chain-types/revision.ts'
import type { AccessListEntry, Authorization, TransactionType } from '../chain-types/transaction.ts'

/** An address at which a simulation has another precompile than the protocol has. */
export interface MovedPrecompile {
  readonly address: Uint8Array
  /** The protocol's address of the precompile that answers there; undefined for none. */
  readonly precompile: Uint8Array | undefined
}

/** The block that a transaction runs in. */
export interface BlockEnv {
  readonly revision: Revision
  readonly chainId: bigint
  readonly number: number
  /** Seconds since 1970; a bigint where it may have more than 53 bits. */
  readonly timestamp: number | bigint
  readonly gasLimit: bigint
  readonly baseFee: bigint
  /** Fee recipient, 20 bytes. */
  readonly coinbase: Uint8Array
  /** PREVRANDAO, or DIFFICULTY before Paris; 32 bytes. */
  readonly prevRandao: Uint8Array
  readonly blobBaseFee: bigint
  /** False where the base fee goes to the coinbase instead of being burnt (this chain's own rule). */
  readonly burnBaseFee: boolean
  /** True where the precompiles 0x1001 to 0x1015 answer, in place of the host addresses (this chain's own rule). */
  readonly chainPrecompiles?: boolean
  /** For simulations alone; at most MAX_MOVED of them. */
  readonly moved?: readonly MovedPrecompile[]
}

/** A transaction as the engine takes it: signature already checked, sender known. */
export interface TransactionInput {
  readonly type: TransactionType
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  readonly authorizations: readonly Authorization[]
  readonly maxFeePerBlobGas: bigint
  readonly blobHashes: readonly Uint8Array[]
}

/**
 * Rules lifted for a simulation (eth_call, eth_estimateGas). A lifted `checkFees` also leaves balances
 * untouched by gas: nothing is bought, refunded or paid to the coinbase.
 */
export interface Leniency {
  /** Nonce equality, and EIP-3607 (sender has code). */
  readonly skipSenderChecks: boolean
  /** Fee cap against base fee, balance for gas, payment of fees. */
  readonly skipFees: boolean
}
