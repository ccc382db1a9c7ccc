/** One address and the storage slots (32 bytes each) declared for it (EIP-2930). */
export interface AccessListEntry {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/** A signed authorization that delegates an account to code (EIP-7702). */
export interface Authorization {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

/** 0 legacy, 1 access list (EIP-2930), 2 dynamic fee (EIP-1559), 3 blob (EIP-4844), 4 set code (EIP-7702). */
export type TransactionType = 0 | 1 | 2 | 3 | 4

/**
 * A decoded, signed transaction. Addresses are 20 bytes, hashes 32; amounts are in wei. For types 0 and 1,
 * `maxFeePerGas` and `maxPriorityFeePerGas` both hold the gas price.
 */
export interface Transaction {
  readonly type: TransactionType
  /** Undefined for a legacy transaction without EIP-155 protection. */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly gas: bigint
  /** Undefined for a contract creation. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  readonly authorizations: readonly Authorization[]
  readonly maxFeePerBlobGas: bigint
  readonly blobHashes: readonly Uint8Array[]
  /** As encoded: 27, 28 or EIP-155 for legacy transactions, 0 or 1 for the others. */
  readonly v: bigint
  readonly yParity: 0 | 1
  readonly r: bigint
  readonly s: bigint
  /** Keccak-256 of `raw`. */
  readonly hash: Uint8Array
  /** Network encoding (EIP-2718), as passed to eth_sendRawTransaction. */
  readonly raw: Uint8Array
  /** The recovered signer. */
  readonly from: Uint8Array
}

type FeeCaps = Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** Returns the tip in wei per gas on top of the base fee; negative if the fee cap is below the base fee. */
export function effectiveTip(transaction: FeeCaps, baseFee: bigint): bigint {
  const headroom = transaction.maxFeePerGas - baseFee
  if (headroom < transaction.maxPriorityFeePerGas) return headroom
  return transaction.maxPriorityFeePerGas
}

/** Returns the wei per gas that the sender pays in a block with `baseFee` (EIP-1559). */
export function effectiveGasPrice(transaction: FeeCaps, baseFee: bigint): bigint {
  return baseFee + effectiveTip(transaction, baseFee)
}

/** Returns the most that a transaction can cost its sender in wei: gas at the fee cap, plus the value. */
export function maximumCost(transaction: FeeCaps & Pick<Transaction, 'gas' | 'value'>): bigint {
  return transaction.gas * transaction.maxFeePerGas + transaction.value
}
