import type { Transaction } from '../chain-types/transaction.ts'

/** Candidates for a block, best first. */
export interface CandidateSource {
  peek(): Transaction | undefined
  /** Moves past the best candidate to its sender's next. */
  take(): void
  /** Gives up the best candidate and all that its sender has after it. */
  skip(): void
}

/** Candidates to which what arrives is added, until they are closed. */
export interface OpenCandidates extends CandidateSource {
  /** Resolves once there may be a candidate. */
  arrival(): Promise<void>
  /** What arrives from now on is not added. */
  close(): void
}

/** The transactions that wait for a block. */
export interface PendingSource {
  /** Changes with every change of the waiting transactions. */
  readonly version: number
  candidates(baseFee: bigint): CandidateSource
}
