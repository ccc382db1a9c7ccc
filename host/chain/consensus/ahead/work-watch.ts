/** Blocks that are looked back at. */
const LOOKED_BACK = 4
/** Milliseconds of heavy transactions that one of them has at least. */
const LEAST_MS = 2

/**
 * Says when running ahead can be worth it: one of the last blocks had enough transactions that take their time. Where it
 * cannot, nobody looks at what the next block will be made of.
 */
export class WorkWatch {
  #blocks: readonly number[] = []

  get isWorth(): boolean {
    return this.#blocks.some((milliseconds) => milliseconds >= LEAST_MS)
  }

  /** Takes the milliseconds that the heavy transactions of a block took. */
  note(milliseconds: number): void {
    this.#blocks = [...this.#blocks, milliseconds].slice(-LOOKED_BACK)
  }
}
