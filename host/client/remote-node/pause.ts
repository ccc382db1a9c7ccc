import { startTimer, stopTimer } from '../../base/timer.ts'

/** Resolves after a while, or at once when the signal is aborted: whoever goes on looks at it. */
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
