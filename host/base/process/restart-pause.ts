const FIRST_MS = 100
const LONGEST_MS = 10_000

/** A program that ran this long is restarted at once. */
const LONG_ENOUGH_MS = 30_000

/** Milliseconds before an ended program is restarted: doubled each time until it keeps running. */
export class RestartPause {
  #nextMs = FIRST_MS

  /** @param ranMs how long the program ran */
  after(ranMs: number): number {
    if (ranMs > LONG_ENOUGH_MS) this.#nextMs = FIRST_MS
    const pauseMs = this.#nextMs
    this.#nextMs = Math.min(pauseMs * 2, LONGEST_MS)
    return pauseMs
  }
}
