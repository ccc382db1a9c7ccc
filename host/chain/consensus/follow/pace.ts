/** Bounds of a wait for the next block, in milliseconds. */
const SHORTEST = 5
const LONGEST = 1_000

/** Parts of the time between two blocks: how long nothing is asked, and how often after. */
const QUIET = 0.75
const STEPS = 20

/** Weight of the newest interval in the average. */
const NEWEST = 0.2

/**
 * When to ask for the next block of a chain that makes them at a steady pace: hardly before it is due, then often, and
 * ever more seldom where it does not come.
 */
export class Pace {
  #interval: number | undefined
  #arrived: number | undefined

  /** A new block has come while it was waited for. */
  arrived(now: number): void {
    if (this.#arrived !== undefined) {
      const interval = now - this.#arrived
      const before = this.#interval ?? interval
      // A chain that rests for an hour makes its next blocks no slower.
      this.#interval = before + (Math.min(interval, 4 * before) - before) * NEWEST
    }
    this.#arrived = now
  }

  /** Blocks have come that were there already: they tell nothing of the pace. */
  caughtUp(now: number): void {
    this.#arrived = now
  }

  /** Milliseconds to wait before the next question. */
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
