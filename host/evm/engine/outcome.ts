import type { Log } from '../chain-types/log.ts'
import type { AccessListEntry } from '../chain-types/transaction.ts'
import type { REJECTIONS } from './generated/rejection.ts'

/** A transaction that was executed: included in a block even if it failed. */
export interface Executed {
  readonly kind: 'executed'
  readonly success: boolean
  /** geth's failure message (`execution reverted`, `out of gas`, ...); undefined on success. */
  readonly error: string | undefined
  /** True if the code reverted, so that `output` holds revert data. */
  readonly reverted: boolean
  /** Gas charged to the sender, after refunds and at least the floor of EIP-7623. */
  readonly gasUsed: bigint
  readonly gasRefunded: bigint
  /** Execution gas and state gas that the block counts (EIP-7778, EIP-8037). Before Amsterdam `gasUsed` and 0. */
  readonly blockGas: bigint
  readonly stateGas: bigint
  readonly output: Uint8Array
  /** Address of the created contract; undefined unless a creation got an address, whether it succeeded or failed. */
  readonly createdAddress: Uint8Array | undefined
  readonly logs: readonly Log[]
  /** The logs in the format of `log-records.ts`, if the engine returned them in it. */
  readonly logRecords?: Uint8Array | undefined
  /** Addresses and slots accessed during execution; only filled on request. */
  readonly accessed: readonly AccessListEntry[]
}

/** A transaction rejected by the protocol: no state changes, and no block may include it. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly code: RejectionCode
}

export type Outcome = Executed | Rejected

/** Reason for a rejection. */
export type RejectionCode = (typeof REJECTIONS)[number]
