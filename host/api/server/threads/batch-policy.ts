import { execFile } from 'node:child_process'
import { threadNumber } from '../../../base/process/thread-number.ts'

/** Timeout of the command in milliseconds; it takes some 5. */
const LONGEST_MS = 5_000

/**
 * Schedules the calling thread under Linux SCHED_BATCH (sched(7)), so that it does not preempt the running thread
 * when it wakes. Otherwise, on busy processors, each request preempts a thread that is answering others and costs a
 * quarter more (bench/reads.md). Uses a util-linux command, because Node.js has no call for it. Also resolves if the
 * policy is unavailable: on another system, without the command, or without permission.
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
