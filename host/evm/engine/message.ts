import type { Revision } from '../chain-types/revision.ts'
import type { AccessListEntry, Authorization, TransactionType } from '../chain-types/transaction.ts'

/** An address at which a simulation places a different precompile. */
export interface MovedPrecompile {
  readonly address: Uint8Array
  /** Protocol address of the precompile to place there; undefined for none. */
  readonly precompile: Uint8Array | undefined
}

/** The block environment of a transaction. */
export interface BlockEnv {
  readonly revision: Revision
  readonly chainId: bigint
  readonly number: number
  /** Unix time in seconds; a bigint if it may exceed 53 bits. */
  readonly timestamp: number | bigint
  readonly gasLimit: bigint
  readonly baseFee: bigint
  /** Fee recipient, 20 bytes. */
  readonly coinbase: Uint8Array
  /** PREVRANDAO, or DIFFICULTY before Paris; 32 bytes. */
  readonly prevRandao: Uint8Array
  readonly blobBaseFee: bigint
  /** EIP-7843, from Amsterdam on; 0 if undefined. */
  readonly slotNumber?: bigint
  /** Index of the next call by the protocol in the block's access list (EIP-7928); 0 if undefined. */
  readonly accessIndex?: number
  /** False if the coinbase receives the base fee instead of burning it (this chain's own rule). */
  readonly burnBaseFee: boolean
  /** True if the precompiles 0x1001 to 0x1015 answer instead of the host addresses (this chain's own rule). */
  readonly chainPrecompiles?: boolean
  /** For simulations only; at most MAX_MOVED entries. */
  readonly moved?: readonly MovedPrecompile[]
}

/** A transaction for the engine: signature verified, sender known. */
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
 * Checks to skip in a simulation (eth_call, eth_estimateGas). With `skipFees`, gas changes no balance: none is
 * bought, refunded or paid to the coinbase.
 */
export interface Leniency {
  /** Skips the nonce check and EIP-3607 (sender has code). */
  readonly skipSenderChecks: boolean
  /** Skips the fee cap check, the balance check for gas, and the payment of fees. */
  readonly skipFees: boolean
  /** With `skipSenderChecks`: limits execution gas as for a transaction (EIP-7825, EIP-8037). */
  readonly capExecution?: boolean
}
