import { readFileSync } from 'node:fs'

const NANOSECONDS = 1_000_000

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
