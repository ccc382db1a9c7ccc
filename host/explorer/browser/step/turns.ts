import { nextTurn } from '../../../base/next-turn.ts'

/** Milliseconds of work between two turns of the event loop: half a picture of a screen. */
const SLICE_MS = 8

/** Lets the event loop have its turn between slices of work. */
export class Turns {
  #end = 0

  /** A promise where the slice is over; undefined where work may go on at once. */
  next(): Promise<void> | undefined {
    const now = performance.now()
    if (this.#end === 0) this.#end = now + SLICE_MS
    if (now < this.#end) return undefined
    this.#end = 0
    return nextTurn()
  }
}
