/** FIFO queue, amortised O(1). */
export class Fifo<Item> {
  readonly #items: Item[] = []
  #next = 0

  get length(): number {
    return this.#items.length - this.#next
  }

  /** The oldest item. */
  get first(): Item | undefined {
    return this.#items[this.#next]
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  /** Removes and returns the oldest item. */
  shift(): Item | undefined {
    const item = this.#items[this.#next]
    if (this.length > 0) this.#next++
    // Removes consumed items in bulk.
    if (this.#next * 2 >= this.#items.length) {
      this.#items.splice(0, this.#next)
      this.#next = 0
    }
    return item
  }
}
