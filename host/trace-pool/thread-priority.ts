import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Niceness: such a thread gets a tenth of what the thread of the chain gets where both want a processor. */
const NICENESS = 10

/**
 * Has this thread give way to the others of the process. Where the system has no priority of threads
 * (Linux has), nothing changes.
 */
export function lowerPriority(): void {
  try {
    // <process>/task/<thread>: Node does not tell the number of a thread.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread)) setPriority(thread, NICENESS)
  } catch {
    // No such link, or no such right: the threads are equals.
  }
}
