import { execFile } from 'node:child_process'
import { threadNumber } from '../../../base/process/thread-number.ts'

/** Milliseconds that the command may take: some 5. */
const LONGEST_MS = 5_000

/**
 * Has Linux schedule the calling thread by SCHED_BATCH (sched(7)): woken, it does not interrupt the thread that runs. Else,
 * on processors that are all busy, each request interrupts the thread that answers or asks others, and a request costs a
 * quarter more (bench/reads.md). Node.js has no call for it, util-linux a command. Resolves too where it cannot be had:
 * on another system, without the command or where the process may not.
 */
export function useBatchPolicy(): Promise<void> {
  return new Promise((resolve) => {
    const thread = threadNumber()
    if (thread === undefined) return resolve()
    execFile('chrt', ['--batch', '--pid', '0', String(thread)], { timeout: LONGEST_MS }, () =>
      resolve(),
    )
  })
}
