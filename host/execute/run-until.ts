import { LockstepError } from '../base/error.ts'
import type { Run } from '../engine/need.ts'
import { answerFromAsync } from '../state/answer.ts'
import type { AsyncStateView } from '../state/view.ts'

/**
 * Drives a run beside the chain to its end; other work of the process runs at each of its yields, and
 * the run waits there for its `turn`, the next one of the event loop when absent, and for what `pause` gives.
 * @throws REQUEST_TIMEOUT once `signal` is aborted, or the error it was aborted with.
 */
export function runUntil<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  signal: AbortSignal,
  pause?: () => Promise<void> | undefined,
  turn?: () => Promise<void> | undefined,
): Promise<Result> {
  checkAborted(signal)
  const onYield = () => {
    checkAborted(signal)
    return pause?.()
  }
  return answerFromAsync(run, view, { onYield, turn })
}

/** @throws REQUEST_TIMEOUT once `signal` is aborted, or the error it was aborted with. */
export function checkAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal)
}

/** The error of work that a signal has ended: the one it was aborted with, or REQUEST_TIMEOUT. */
export function abortError({ reason }: AbortSignal): LockstepError {
  if (reason instanceof LockstepError) return reason
  return new LockstepError('REQUEST_TIMEOUT', 'execution aborted (timeout)', { cause: reason })
}
