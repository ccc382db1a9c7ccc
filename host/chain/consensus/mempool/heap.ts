/** A binary heap whose first item is the least by `before`. */
export class Heap<Item> {
  readonly #before: (a: Item, b: Item) => boolean
  readonly #items: Item[]

  constructor(before: (a: Item, b: Item) => boolean, items: Item[] = []) {
    this.#before = before
    this.#items = items
    for (let i = (items.length >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  get size(): number {
    return this.#items.length
  }

  get first(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    let hole = this.#items.length
    this.#items.push(item)
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (!this.#before(item, this.#items[parent] as Item)) break
      this.#items[hole] = this.#items[parent] as Item
      hole = parent
    }
    this.#items[hole] = item
  }

  removeFirst(): void {
    const last = this.#items.pop()
    if (last === undefined || this.#items.length === 0) return
    this.#items[0] = last
    this.#sink(0)
  }

  #sink(start: number): void {
    const items = this.#items
    const item = items[start] as Item
    let hole = start
    for (;;) {
      let child = 2 * hole + 1
      if (child >= items.length) break
      const right = items[child + 1]
      if (right !== undefined && this.#before(right, items[child] as Item)) child++
      if (!this.#before(items[child] as Item, item)) break
      items[hole] = items[child] as Item
      hole = child
    }
    items[hole] = item
  }
}
