import { once } from 'node:events'
import { createServer } from 'node:net'
import { delay } from '../../../base/timer.ts'

/** Milliseconds between two attempts, and for which another process may have the lock: its threads start meanwhile. */
const LOOK_MS = 10
const WAIT_MS = 10_000

/**
 * Waits until no other process of this machine begins to share a port: between its look whether the port is free and the
 * listening of its threads any other that shares finds it free too. The lock is a name of Linux (unix(7), abstract
 * sockets), which goes with the process; elsewhere, and where none can be had, there is no lock.
 * @returns what gives the lock back
 */
export async function lockPort(port: number): Promise<() => Promise<void>> {
  const path = `\0lockstep-port-${port}`
  const until = performance.now() + WAIT_MS
  while (process.platform === 'linux') {
    const holder = createServer()
    holder.listen({ path })
    try {
      await once(holder, 'listening')
      return () => new Promise((resolve) => holder.close(() => resolve()))
    } catch (thrown) {
      const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || performance.now() > until) break
      await delay(LOOK_MS)
    }
  }
  return async () => undefined
}
