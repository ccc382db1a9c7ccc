import type { CommitVote, Misbehavior, TxResult, ValidatorUpdate } from '../application.ts'
import type { ChainEvent } from '../events/chain-event.ts'

// Messages of ABCI 2.0, reduced to the fields that this application uses (CometBFT `spec/abci`). Times are
// nanoseconds since 1970, hashes bytes. `Application` declares the others under the same names.

/** Version information that CometBFT sends. */
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
  /** Empty if the application has no state. */
  readonly lastBlockAppHash: Uint8Array
}

export interface CheckTxRequest {
  readonly transaction: Uint8Array
  /** True if the transaction is in CometBFT's mempool and a block was committed since its last check. */
  readonly isRecheck: boolean
}

export interface CheckTxResponse {
  /** 0 if the transaction is accepted into the mempool. */
  readonly code: number
  /** Namespace of `code`; empty if `code` is 0. */
  readonly codespace: string
  /** Reason of the rejection; empty if `code` is 0. */
  readonly log: string
  readonly gasWanted: bigint
}

/** Fields that `PrepareProposal`, `ProcessProposal` and `FinalizeBlock` share. */
export interface AbciBlock {
  readonly height: number
  readonly time: bigint
  readonly proposerAddress: Uint8Array
  readonly transactions: readonly Uint8Array[]
  readonly misbehavior: readonly Misbehavior[]
}

/** `transactions` come from CometBFT's mempool. */
export interface PrepareProposalRequest extends AbciBlock {
  /** Size limit of the returned transactions in bytes, tags and lengths included. */
  readonly maxTxBytes: number
}

/** A proposed or decided block with the hash of its header. */
export interface HashedBlock extends AbciBlock {
  /** From the last commit in the block. */
  readonly votes: readonly CommitVote[]
  readonly hash: Uint8Array
}

/** `ExecTxResult`. */
export interface ExecTxResult extends TxResult {
  /** Reason of the failure; empty on success. Like codespace and events, it is part of no hash. */
  readonly log: string
  readonly codespace: string
  readonly events: readonly ChainEvent[]
}

export interface ExecBlockResult {
  /** Events of the block outside its transactions; part of no hash. */
  readonly events: readonly ChainEvent[]
  readonly txResults: readonly ExecTxResult[]
  readonly validatorUpdates: readonly ValidatorUpdate[]
  readonly appHash: Uint8Array
}
