/** Blocks that are looked back at. */
const LOOKED_BACK = 4
/** Blocks that run in order then. */
const IN_ORDER = 16

/** Says when running ahead is not worth it: many transactions had to run a second time. */
export class ConflictWatch {
  #blocks: { readonly taken: number; readonly adopted: number }[] = []
  #waits = 0

  /** Whether the next block is run ahead; asked once for each. */
  admit(): boolean {
    if (this.#waits === 0) return true
    this.#waits--
    return false
  }

  /** @param taken transactions that had run ahead; @param adopted those of them whose footprints were adopted */
  note(taken: number, adopted: number): void {
    this.#blocks = [...this.#blocks, { taken, adopted }].slice(-LOOKED_BACK)
    const sum = (count: 'taken' | 'adopted') => this.#blocks.reduce((sum, b) => sum + b[count], 0)
    const refused = sum('taken') - sum('adopted')
    if (4 * refused <= sum('taken')) return
    this.#waits = IN_ORDER
    this.#blocks = []
  }
}
