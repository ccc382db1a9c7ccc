/**
 * Recently used values in two generations. The new one takes values that are set or used; when it is full, the old
 * one is dropped as a whole. A hit in the new generation costs one Map lookup and moves nothing. A value stays while
 * less than half of the capacity has been used since.
 */
export class RecentCache<Key, Value> {
  readonly #half: number
  #young = new Map<Key, Weighed<Value>>()
  #old = new Map<Key, Weighed<Value>>()
  #weight = 0

  /** @param capacity maximum weight of all values, in the unit of `set`: values, or bytes */
  constructor(capacity: number) {
    this.#half = capacity / 2
  }

  get isEmpty(): boolean {
    return this.#old.size === 0 && this.#young.size === 0
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young.value
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.#old.delete(key)
    this.#add(key, old)
    return old.value
  }

  /** A value heavier than half of the capacity is not kept. */
  set(key: Key, value: Value, weight = 1): void {
    this.delete(key)
    if (weight <= this.#half) this.#add(key, { value, weight })
  }

  delete(key: Key): void {
    this.#old.delete(key)
    const young = this.#young.get(key)
    if (young === undefined) return
    this.#young.delete(key)
    this.#weight -= young.weight
  }

  clear(): void {
    this.#old.clear()
    this.#young.clear()
    this.#weight = 0
  }

  /** Drops the values whose keys match. */
  drop(isMet: (key: Key) => boolean): void {
    for (const key of this.#old.keys()) if (isMet(key)) this.#old.delete(key)
    for (const key of this.#young.keys()) if (isMet(key)) this.delete(key)
  }

  #add(key: Key, weighed: Weighed<Value>): void {
    if (this.#weight + weighed.weight > this.#half) {
      this.#old = this.#young
      this.#young = new Map()
      this.#weight = 0
    }
    this.#young.set(key, weighed)
    this.#weight += weighed.weight
  }
}

interface Weighed<Value> {
  readonly value: Value
  readonly weight: number
}
