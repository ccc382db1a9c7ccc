import type { Log } from '../chain-types/log.ts'
import type { AccessListEntry } from '../chain-types/transaction.ts'
import type { REJECTIONS } from './generated/rejection.ts'

/** A transaction that ran: included in a block whether it succeeded or not. */
export interface Executed {
  readonly kind: 'executed'
  readonly success: boolean
  /** geth's text of the failure (`execution reverted`, `out of gas`, ...); undefined on success. */
  readonly error: string | undefined
  /** True when the code itself reverted, so that `output` holds its revert data. */
  readonly reverted: boolean
  /** Gas charged to the sender: after refunds, and at least the floor of EIP-7623. */
  readonly gasUsed: bigint
  readonly gasRefunded: bigint
  readonly output: Uint8Array
  /** Address of the created contract; undefined unless a creation succeeded or failed at an address. */
  readonly createdAddress: Uint8Array | undefined
  readonly logs: readonly Log[]
  /** The same as `log-records.ts` has them, where the engine left them so. */
  readonly logRecords?: Uint8Array | undefined
  /** Addresses and slots touched while it ran; only when asked for. */
  readonly accessed: readonly AccessListEntry[]
}

/** A transaction that the protocol refuses: no state changed, it cannot stand in a block. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly code: RejectionCode
}

export type Outcome = Executed | Rejected

/** The reason why a transaction is refused. */
export type RejectionCode = (typeof REJECTIONS)[number]

/** What a block keeps of a receipt beside its fields. */
export interface SealedReceipt {
  /** Keccak-256 of its consensus encoding. */
  readonly hash: Uint8Array
  /** Bloom of its logs, 256 bytes. */
  readonly logsBloom: Uint8Array
}
