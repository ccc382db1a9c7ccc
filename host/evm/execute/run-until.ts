import { LockstepError } from '../../base/error.ts'
import type { Run } from '../engine/need.ts'
import { answerSoon } from '../state/answer.ts'
import type { AsyncStateView } from '../state/view.ts'

/** What ends work early, looked at between its slices: an `AbortSignal`, or less where nobody listens. */
export type EndSignal = Pick<AbortSignal, 'aborted' | 'reason'>

/** The end of the time that work may take. It has no timer, and nobody can listen to it. */
export class Deadline implements EndSignal {
  readonly #end: number
  readonly #expired: () => LockstepError

  /** Begins now; `expired` makes the error of work that takes longer. */
  constructor(milliseconds: number, expired: () => LockstepError) {
    this.#end = performance.now() + milliseconds
    this.#expired = expired
  }

  get aborted(): boolean {
    return performance.now() >= this.#end
  }

  get reason(): LockstepError {
    return this.#expired()
  }
}

/**
 * Drives a run beside the chain to its end; other work of the process runs at each of its yields, and
 * the run waits there for its `turn`, the next one of the event loop when absent, and for what `pause` gives.
 * A run that has nothing to wait for is at its end when this returns.
 * @throws REQUEST_TIMEOUT once `signal` is aborted, or the error it was aborted with.
 */
export function runUntil<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  signal: EndSignal,
  pause?: () => Promise<void> | undefined,
  turn?: () => Promise<void> | undefined,
): Result | Promise<Result> {
  checkAborted(signal)
  const onYield = () => {
    checkAborted(signal)
    return pause?.()
  }
  return answerSoon(run, view, { onYield, turn })
}

/** @throws REQUEST_TIMEOUT once `signal` is aborted, or the error it was aborted with. */
export function checkAborted(signal: EndSignal): void {
  if (signal.aborted) throw abortError(signal)
}

/** The error of work that has been ended: the one it was aborted with, or REQUEST_TIMEOUT. */
export function abortError({ reason }: Pick<EndSignal, 'reason'>): LockstepError {
  if (reason instanceof LockstepError) return reason
  return new LockstepError('REQUEST_TIMEOUT', 'execution aborted (timeout)', { cause: reason })
}
