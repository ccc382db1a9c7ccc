/** Number of recent blocks considered. */
const LOOKED_BACK = 4
/** Number of blocks that run in order after too many conflicts. */
const IN_ORDER = 16

/** Pauses speculative execution if too many transactions had to run a second time. */
export class ConflictBackoff {
  #blocks: { readonly taken: number; readonly adopted: number }[] = []
  #waits = 0

  /** Returns whether to execute the next block speculatively. Call it once per block. */
  admit(): boolean {
    if (this.#waits === 0) return true
    this.#waits--
    return false
  }

  /**
   * Records the outcome of a block.
   * @param taken transactions that ran speculatively
   * @param adopted those of them whose read/write sets were applied
   */
  record(taken: number, adopted: number): void {
    this.#blocks = [...this.#blocks, { taken, adopted }].slice(-LOOKED_BACK)
    const sum = (count: 'taken' | 'adopted') => this.#blocks.reduce((sum, b) => sum + b[count], 0)
    const refused = sum('taken') - sum('adopted')
    if (4 * refused <= sum('taken')) return
    this.#waits = IN_ORDER
    this.#blocks = []
  }
}
