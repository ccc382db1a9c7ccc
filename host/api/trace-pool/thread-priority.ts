import { setPriority } from 'node:os'
import { threadNumber } from '../../base/process/thread-number.ts'

/** Niceness of threads that run untrusted code: a tenth of the main thread's share if both compete for a processor. */
const FOREIGN = 10

/** Niceness of work that follows the chain: four tenths. */
export const FOLLOWING_NICENESS = 4

/**
 * Lowers the priority of this thread within the process. Does nothing on systems without thread priorities (Linux has
 * them).
 */
export function lowerPriority(niceness = FOREIGN): void {
  try {
    const thread = threadNumber()
    if (thread !== undefined) setPriority(thread, niceness)
  } catch {
    // Without permission the priority stays unchanged.
  }
}
