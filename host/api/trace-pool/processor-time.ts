import { readFileSync } from 'node:fs'

const NANOSECONDS = 1_000_000

/**
 * Returns the processor time in milliseconds of a thread of this process. Without a thread id, or after the thread
 * has ended, returns the monotonic clock.
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
