/** Bounds of the polling interval in milliseconds. */
const SHORTEST = 5
const LONGEST = 1_000

/** Fraction of the block interval without polling, and polls per interval afterwards. */
const QUIET = 0.75
const STEPS = 20

/** Weight of the latest interval in the average. */
const NEWEST = 0.2

/**
 * Polling schedule for the next block of a chain with a steady block interval: rarely before the block is due, then
 * often, and ever more rarely if it stays out.
 */
export class PollSchedule {
  #interval: number | undefined
  #arrived: number | undefined

  /** Records the arrival of an awaited block. */
  arrived(now: number): void {
    if (this.#arrived !== undefined) {
      const interval = now - this.#arrived
      const before = this.#interval ?? interval
      // Capped, so that an hour without blocks does not slow down polling.
      this.#interval = before + (Math.min(interval, 4 * before) - before) * NEWEST
    }
    this.#arrived = now
  }

  /** Records the arrival of older blocks, which say nothing about the block interval. */
  caughtUp(now: number): void {
    this.#arrived = now
  }

  /** Returns the milliseconds to wait before the next poll. */
  wait(now: number): number {
    const interval = this.#interval ?? LONGEST / 2
    const elapsed = now - (this.#arrived ?? now)
    const step = clamp(interval / STEPS)
    const quiet = interval * QUIET - elapsed
    if (quiet > step) return clamp(quiet)
    return elapsed < 2 * interval ? step : clamp(elapsed / STEPS)
  }
}

function clamp(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, SHORTEST), LONGEST)
}
