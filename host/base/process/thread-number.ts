import { readlinkSync } from 'node:fs'

/** Returns the Linux thread id of the calling thread; undefined on other systems. Node.js has no call for it. */
export function threadNumber(): number | undefined {
  try {
    // proc(5): links to `<process>/task/<thread>`.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    return Number.isInteger(thread) ? thread : undefined
  } catch {
    return undefined
  }
}
