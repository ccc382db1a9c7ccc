import type { AccessListEntry, Authorization } from '../chain-types/transaction.ts'
import type { Executed } from '../engine/outcome.ts'

/** A call object, decoded. What is undefined the caller left open. */
export interface CallRequest {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  /** At most the limit of simulations. */
  readonly gas: bigint
  /** For a legacy gas price both caps hold it. */
  readonly maxFeePerGas: bigint | undefined
  readonly maxPriorityFeePerGas: bigint | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly nonce: bigint | undefined
  readonly accessList: readonly AccessListEntry[] | undefined
  readonly authorizations: readonly Authorization[] | undefined
}

/** What one account pretends to be. `state` replaces all its storage, `stateDiff` single slots. */
export interface AccountOverride {
  readonly address: Uint8Array
  readonly nonce: bigint | undefined
  readonly balance: bigint | undefined
  readonly code: Uint8Array | undefined
  readonly state: readonly SlotOverride[] | undefined
  readonly stateDiff: readonly SlotOverride[] | undefined
}

/** Slot and value, 32 bytes each. */
export interface SlotOverride {
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

/** What the block pretends to be. */
export interface BlockOverride {
  readonly number: bigint | undefined
  readonly timestamp: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly coinbase: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  readonly baseFee: bigint | undefined
  readonly blobBaseFee: bigint | undefined
}

/** A transaction that never enters a block, run on the state after block `height`. */
export interface Simulation {
  readonly request: CallRequest
  readonly height: number
  readonly stateOverrides: readonly AccountOverride[]
  readonly blockOverrides: BlockOverride | undefined
  /** Aborted when the caller is gone or the time is up; the run then rejects. */
  readonly signal: AbortSignal
}

export type CallOutcome = Pick<Executed, 'success' | 'error' | 'reverted' | 'output'>

/** The least gas that suffices, or how the call fails with all the gas it may have. */
export type GasEstimate =
  | { readonly kind: 'enough'; readonly gas: bigint }
  | { readonly kind: 'failed'; readonly outcome: CallOutcome }

export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[]
  /** Gas used with that list. */
  readonly gasUsed: bigint
  /** geth's text when the run failed. */
  readonly error: string | undefined
}

/**
 * Runs calls on past state.
 * @throws TRANSACTION_REJECTED with geth's text where the protocol refuses the call.
 */
export interface Simulator {
  call(simulation: Simulation): Promise<CallOutcome>
  estimateGas(simulation: Simulation): Promise<GasEstimate>
  createAccessList(simulation: Simulation): Promise<AccessListOutcome>
}
