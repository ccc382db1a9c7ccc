import { afterEach, expect, test, vi } from 'vitest'
import { yieldToEventLoop } from '../../../host/base/yield-to-event-loop.ts'

afterEach(() => vi.unstubAllGlobals())

/** Yields repeatedly while a message arrives. @returns the number of yields before it was handled */
async function turnsUntilMessage(): Promise<number> {
  const { port1, port2 } = new MessageChannel()
  let turns = 0
  const seen = new Promise<number>((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve(turns)
    }
  })
  port2.postMessage('abort')
  while (turns < 1000) {
    await yieldToEventLoop()
    turns++
  }
  return seen
}

test('the event loop handles messages between yields', async () => {
  expect(await turnsUntilMessage()).toBeLessThan(10)
})

test('without setImmediate a yield uses no timer, and the event loop still handles messages', async () => {
  vi.stubGlobal('setImmediate', undefined)
  const { setTimeout } = globalThis
  let timers = 0
  // Files before this one may have left timers of their own, which start their next interval.
  const counting = (run: () => void, milliseconds: number) => {
    if (new Error().stack?.includes('/host/base/yield-to-event-loop.ts')) timers++
    return setTimeout(run, milliseconds)
  }
  vi.stubGlobal('setTimeout', counting)
  expect(await turnsUntilMessage()).toBeLessThan(10)
  // A browser's timers wait four milliseconds.
  expect(timers).toBe(0)
})
