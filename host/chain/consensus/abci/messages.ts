import type { Misbehavior, TxResult, ValidatorUpdate } from '../application.ts'
import type { ChainEvent } from '../events/chain-event.ts'

// What the methods of ABCI 2.0 carry, reduced to what an application here asks for (CometBFT `spec/abci`). Times are
// nanoseconds since 1970, hashes bytes. `Application` has the rest under the same names.

/** What CometBFT says of itself. */
export interface InfoRequest {
  readonly version: string
  readonly blockVersion: number
  readonly p2pVersion: number
  readonly abciVersion: string
}

export interface InfoResponse {
  readonly data: string
  readonly version: string
  readonly appVersion: number
  /** 0 before the first block. */
  readonly lastBlockHeight: number
  /** Empty where the application has no state. */
  readonly lastBlockAppHash: Uint8Array
}

export interface CheckTxRequest {
  readonly transaction: Uint8Array
  /** True where the transaction is in CometBFT's pool, and a block has been committed since. */
  readonly isRecheck: boolean
}

export interface CheckTxResponse {
  /** 0 where the transaction may be kept and handed on. */
  readonly code: number
  /** What `code` is a code of; empty with 0. */
  readonly codespace: string
  /** Why it is refused; empty with 0. */
  readonly log: string
  readonly gasWanted: bigint
}

/** What `PrepareProposal`, `ProcessProposal` and `FinalizeBlock` say of a block alike. */
export interface AbciBlock {
  readonly height: number
  readonly time: bigint
  readonly proposerAddress: Uint8Array
  readonly transactions: readonly Uint8Array[]
  readonly misbehavior: readonly Misbehavior[]
}

/** `transactions` are those of CometBFT's pool. */
export interface PrepareProposalRequest extends AbciBlock {
  /** Bytes of the transactions of the answer, at most, tags and lengths among them. */
  readonly maxTxBytes: number
}

/** A block with its header's hash: proposed or decided. */
export interface HashedBlock extends AbciBlock {
  readonly hash: Uint8Array
}

/** `ExecTxResult`. */
export interface ExecTxResult extends TxResult {
  /** Why it failed; empty where it succeeded. As the codespace and the events, it enters no hash. */
  readonly log: string
  readonly codespace: string
  readonly events: readonly ChainEvent[]
}

export interface ExecBlockResult {
  /** What the block did beside its transactions; in no hash. */
  readonly events: readonly ChainEvent[]
  readonly txResults: readonly ExecTxResult[]
  readonly validatorUpdates: readonly ValidatorUpdate[]
  readonly appHash: Uint8Array
}
