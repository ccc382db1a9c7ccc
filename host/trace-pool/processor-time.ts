import { readFileSync, readlinkSync } from 'node:fs'

const NANOSECONDS = 1_000_000

/** The number that Linux has for the calling thread; undefined on other systems. Node.js has no call for it. */
export function threadNumber(): number | undefined {
  try {
    // proc(5): leads to `<process>/task/<thread>`
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    return Number.isInteger(thread) ? thread : undefined
  } catch {
    return undefined
  }
}

/**
 * Milliseconds that a thread of this process has run on a processor. Of a thread without a number, or one that has
 * ended, those of the monotonic clock.
 */
export function processorTime(thread: number | undefined): number {
  if (thread === undefined) return performance.now()
  try {
    const [ran = ''] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ', 1)
    return Number(ran) / NANOSECONDS
  } catch {
    return performance.now()
  }
}
