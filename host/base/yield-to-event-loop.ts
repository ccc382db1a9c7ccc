/** Resolves in the next turn of the event loop, after pending messages, timers and input. */
export function yieldToEventLoop(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve))
  // Timers of browsers wait four milliseconds, as long as four slices of fuel; a message arrives at once.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
