/** What waits in the order in which it came. Taking the first costs no more than adding one, however many wait. */
export class Fifo<Item> {
  readonly #items: Item[] = []
  #next = 0

  get length(): number {
    return this.#items.length - this.#next
  }

  /** The one that has waited longest. */
  get first(): Item | undefined {
    return this.#items[this.#next]
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  /** Takes the one that has waited longest. */
  shift(): Item | undefined {
    const item = this.#items[this.#next]
    if (this.length > 0) this.#next++
    // Removed many at a time.
    if (this.#next * 2 >= this.#items.length) {
      this.#items.splice(0, this.#next)
      this.#next = 0
    }
    return item
  }
}
