import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'

/** Milliseconds of work between two turns of the event loop: half a screen frame. */
const SLICE_MS = 8

/** Yields to the event loop between slices of work. */
export class TimeSlicer {
  #end = 0

  /** Returns a promise to await if the slice is over; undefined if work may continue at once. */
  next(): Promise<void> | undefined {
    const now = performance.now()
    if (this.#end === 0) this.#end = now + SLICE_MS
    if (now < this.#end) return undefined
    this.#end = 0
    return yieldToEventLoop()
  }
}
