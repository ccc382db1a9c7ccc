import { setPriority } from 'node:os'
import { threadNumber } from '../../base/process/thread-number.ts'

/** Niceness of threads that run what strangers wrote: a tenth of what the chain's thread gets where both want a processor. */
const FOREIGN = 10

/** Of work that the chain is followed by: four tenths. */
export const FOLLOWING = 4

/**
 * Has this thread give way to the others of the process. Where the system has no priority of threads
 * (Linux has), nothing changes.
 */
export function lowerPriority(niceness = FOREIGN): void {
  try {
    const thread = threadNumber()
    if (thread !== undefined) setPriority(thread, niceness)
  } catch {
    // No such right: the threads are equals.
  }
}
