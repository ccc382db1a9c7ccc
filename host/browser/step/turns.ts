/** Milliseconds of work between two turns of the event loop: half a picture of a screen. */
const SLICE_MS = 8

/** Lets the event loop have its turn between slices of work: messages, timers and input are seen in time. */
export class Turns {
  #end = 0

  /** A promise where the slice is over; undefined where work may go on at once. */
  next(): Promise<void> | undefined {
    const now = performance.now()
    if (this.#end === 0) this.#end = now + SLICE_MS
    if (now < this.#end) return undefined
    this.#end = 0
    return turn()
  }
}

/** A timer would wait four milliseconds in a browser; a message comes at once. */
function turn(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve))
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
