import type { Transaction } from '../chain-types/transaction.ts'

/** The sender of a candidate that was taken. */
export type CandidateSender = object

/** Candidates for a block, best first. */
export interface CandidateSource {
  peek(): Transaction | undefined
  /** Takes the best candidate. Its sender's next transaction becomes a candidate. */
  take(): CandidateSender
  /** Drops the candidates of a sender, whose taken one was not included. */
  drop(sender: CandidateSender): void
  /** Drops the best candidate and all later ones of its sender. */
  skip(): void
}

/** Candidates to which new arrivals are added until closed. */
export interface OpenCandidates extends CandidateSource {
  /** Resolves once there may be a candidate. */
  arrival(): Promise<void>
  /** Stops adding new arrivals. */
  close(): void
}

/** The transactions pending for a block. */
export interface PendingSource {
  /** Changes whenever the pending transactions do. */
  readonly version: number
  candidates(baseFee: bigint): CandidateSource
}
