/** Number of recent blocks considered. */
const LOOKED_BACK = 4
/** Milliseconds of heavy transactions from which a block is worth speculative execution. */
const LEAST_MS = 2

/**
 * Enables speculative execution if a recent block had enough heavy transactions. Otherwise the next block's
 * transactions are not even predicted.
 */
export class WorkloadMonitor {
  #blocks: readonly number[] = []

  get isWorth(): boolean {
    return this.#blocks.some((milliseconds) => milliseconds >= LEAST_MS)
  }

  /** Records the milliseconds of a block's heavy transactions. */
  note(milliseconds: number): void {
    this.#blocks = [...this.#blocks, milliseconds].slice(-LOOKED_BACK)
  }
}
