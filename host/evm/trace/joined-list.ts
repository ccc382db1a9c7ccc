/** Counts the items that several tracers find for one list: leaves out the first ones, and takes so many. */
export class JoinedList {
  readonly #after: number
  readonly #end: number
  #found = 0

  constructor(after: number, count: number) {
    this.#after = after
    this.#end = after + count
  }

  /** Items found so far, taken or not. */
  get found(): number {
    return this.#found
  }

  /** No further item will be taken. */
  get isFull(): boolean {
    return this.#found >= this.#end
  }

  /** Counts an item; true where it belongs in the list. */
  takes(): boolean {
    const index = this.#found++
    return index >= this.#after && index < this.#end
  }
}
