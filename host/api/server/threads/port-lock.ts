import { once } from 'node:events'
import { createServer } from 'node:net'
import { delay } from '../../../base/timer.ts'

/** Polling interval in milliseconds, and the maximum wait for another process, whose threads start meanwhile. */
const LOOK_MS = 10
const WAIT_MS = 10_000

/**
 * Waits until no other process of this machine is setting up a shared port. Between its check that the port is free
 * and its threads' listening, another process with a shared port would also find it free. The lock is an abstract
 * Linux socket (unix(7)), which the kernel releases with the process. On other systems, or if none can be opened,
 * there is no lock.
 * @returns a function that releases the lock
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
