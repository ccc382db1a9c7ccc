import { readlinkSync } from 'node:fs'

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
