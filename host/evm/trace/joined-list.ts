/** Paginates the items that several tracers add to one list: skips the first `after`, takes the next `count`. */
export class PagedList {
  readonly #after: number
  readonly #end: number
  #found = 0

  constructor(after: number, count: number) {
    this.#after = after
    this.#end = after + count
  }

  /** Number of items found so far, taken or not. */
  get found(): number {
    return this.#found
  }

  /** True if no further item will be taken. */
  get isFull(): boolean {
    return this.#found >= this.#end
  }

  /** Counts an item. Returns true if it is on the page. */
  takes(): boolean {
    const index = this.#found++
    return index >= this.#after && index < this.#end
  }
}
