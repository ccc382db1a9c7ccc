import type { Transaction } from '../chain-types/transaction.ts'

/** Candidates for a block, best first. */
export interface CandidateSource {
  peek(): Transaction | undefined
  /** Takes the best candidate. Its sender's next transaction becomes a candidate. */
  take(): void
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
