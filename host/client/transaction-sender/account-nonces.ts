/** The nonces of an account: those of its own transactions in flight, and those that the chain reports. */
export class AccountNonces {
  readonly #used: Set<number>
  readonly #executedUpTo: () => number
  #latest = 0
  #pending = 0

  /** @param executedUpTo returns the nonce after the highest one known to be in a block: it corrects a lagging node */
  constructor(used: Iterable<number>, executedUpTo: () => number) {
    this.#used = new Set(used)
    this.#executedUpTo = executedUpTo
  }

  /** Number of own nonces in flight. */
  get size(): number {
    return this.#used.size
  }

  /** The lowest nonce that no block has. */
  get lowest(): number {
    return Math.max(this.#latest, this.#executedUpTo())
  }

  /** The nonce after those of the pool. */
  get pending(): number {
    return this.#pending
  }

  /** Takes over the chain's nonces: by the latest state, and with the pool's transactions. */
  note(latest: number, pending: number): void {
    this.#latest = latest
    this.#pending = pending
  }

  has(nonce: number): boolean {
    return this.#used.has(nonce)
  }

  /** Marks a nonce as used. Returns false if it was. */
  use(nonce: number): boolean {
    if (this.#used.has(nonce)) return false
    this.#used.add(nonce)
    return true
  }

  release(nonce: number): void {
    this.#used.delete(nonce)
  }

  /**
   * Returns the lowest free nonce: used by no block, no transaction of ours and no other one in the pool. A node that
   * reports too high a nonce causes a gap, which later transactions fill.
   */
  next(): number {
    let nonce = Math.max(this.lowest, this.#pending)
    while (this.#used.has(nonce)) nonce++
    return nonce
  }

  /** Returns how many nonces below a limit have a pending transaction that is not ours. */
  countForeign(below = Number.POSITIVE_INFINITY): number {
    const end = Math.min(this.#pending, below)
    const { lowest } = this
    let count = Math.max(0, end - lowest)
    for (const nonce of this.#used) if (nonce >= lowest && nonce < end) count--
    return count
  }

  /** Returns the lowest free nonces below one of ours, which waits for them. */
  gaps(limit: number): number[] {
    let end = 0
    for (const nonce of this.#used) end = Math.max(end, nonce)
    const found: number[] = []
    for (let nonce = this.next(); nonce < end && found.length < limit; nonce++) {
      if (!this.#used.has(nonce)) found.push(nonce)
    }
    return found
  }
}
