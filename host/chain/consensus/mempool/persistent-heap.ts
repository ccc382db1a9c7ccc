interface Node<Item> {
  readonly item: Item
  /** Nodes on the rightmost path: at most log2 of the number of nodes. */
  readonly height: number
  readonly left: Node<Item> | undefined
  readonly right: Node<Item> | undefined
}

/**
 * An immutable heap: each operation returns a new heap that shares structure with the old one, so that iteration does
 * not affect other holders. Leftist tree (Crane 1972): all operations in O(log n).
 */
export class PersistentHeap<Item> {
  readonly #before: (a: Item, b: Item) => boolean
  readonly #root: Node<Item> | undefined

  constructor(before: (a: Item, b: Item) => boolean, root?: Node<Item>) {
    this.#before = before
    this.#root = root
  }

  get first(): Item | undefined {
    return this.#root?.item
  }

  with(item: Item): PersistentHeap<Item> {
    const node = { item, height: 1, left: undefined, right: undefined }
    return new PersistentHeap(this.#before, this.#merge(this.#root, node))
  }

  withoutFirst(): PersistentHeap<Item> {
    return new PersistentHeap(this.#before, this.#merge(this.#root?.left, this.#root?.right))
  }

  #merge(a: Node<Item> | undefined, b: Node<Item> | undefined): Node<Item> | undefined {
    if (a === undefined) return b
    if (b === undefined) return a
    if (this.#before(b.item, a.item)) return this.#merge(b, a)
    const { item, left } = a
    const right = this.#merge(a.right, b)
    const leftHeight = left?.height ?? 0
    const rightHeight = right?.height ?? 0
    return leftHeight < rightHeight
      ? { item, height: leftHeight + 1, left: right, right: left }
      : { item, height: rightHeight + 1, left, right }
  }
}
