import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

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
    // <process>/task/<thread>: Node does not tell the number of a thread.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread)) setPriority(thread, niceness)
  } catch {
    // No such link, or no such right: the threads are equals.
  }
}
