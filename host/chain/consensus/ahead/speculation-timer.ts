import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import {
  type BlockJobs,
  LEAST_MS,
  type SpeculativeResults,
} from '../../../evm/execute/lockstep/speculative-results.ts'
import type { TransactionTimes } from './transaction-times.ts'

/** Returns the results of transactions that ran speculatively, and times those that the block executes itself. */
export class SpeculationTimer implements SpeculativeResults {
  readonly #times: TransactionTimes
  readonly #jobs: BlockJobs | undefined
  #began = 0
  #heavyMs = 0

  /** @param jobs undefined if the block runs in order */
  constructor(times: TransactionTimes, jobs: BlockJobs | undefined) {
    this.#times = times
    this.#jobs = jobs
  }

  /** Milliseconds that the transactions worth a job would take on one thread. */
  get heavyMs(): number {
    return this.#heavyMs
  }

  take(transaction: Transaction): Uint8Array | undefined {
    const footprint = this.#jobs?.take(transaction)
    if (footprint === undefined) this.#began = performance.now()
    else this.#weigh(this.#times.expected(transaction))
    return footprint
  }

  report(isAdopted: boolean): void {
    this.#jobs?.report(isAdopted)
    this.#began = performance.now()
  }

  ran(transaction: Transaction): void {
    this.#weigh(this.#times.note(transaction, performance.now() - this.#began))
  }

  #weigh(milliseconds: number): void {
    if (milliseconds >= LEAST_MS) this.#heavyMs += milliseconds
  }
}
