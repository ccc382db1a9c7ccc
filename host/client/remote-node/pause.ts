import { startTimer, stopTimer } from '../../base/timer.ts'

/** Resolves after `ms`, or at once if the signal is aborted: the caller must check the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stopTimer(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = startTimer(end, signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', end)
  })
}
