const FIRST_MS = 100
const LONGEST_MS = 10_000

/** Who has run so long is started again at once. */
const LONG_ENOUGH_MS = 30_000

/** Milliseconds before a program that has ended is started again: twice as long each time, until it lives. */
export class RestartPause {
  #nextMs = FIRST_MS

  /** @param ranMs how long the program has run */
  after(ranMs: number): number {
    if (ranMs > LONG_ENOUGH_MS) this.#nextMs = FIRST_MS
    const pauseMs = this.#nextMs
    this.#nextMs = Math.min(pauseMs * 2, LONGEST_MS)
    return pauseMs
  }
}
