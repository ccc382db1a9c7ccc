/** The `capacity` values used last. */
export class LruCache<Key, Value> {
  readonly #capacity: number
  readonly #values = new Map<Key, Value>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  /** Forgets the values whose keys are met. */
  drop(isMet: (key: Key) => boolean): void {
    for (const key of this.#values.keys()) if (isMet(key)) this.#values.delete(key)
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#capacity) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }
}
