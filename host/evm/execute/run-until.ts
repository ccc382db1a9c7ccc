import { LockstepError } from '../../base/error.ts'
import type { Run } from '../engine/need.ts'
import { answerSoon } from '../state/answer.ts'
import type { AsyncStateView } from '../state/view.ts'

/** Abort condition, polled between slices of work: an `AbortSignal`, or less if no events are needed. */
export type EndSignal = Pick<AbortSignal, 'aborted' | 'reason'>

/** Deadline without a timer or events: its clock is read when polled. */
export class Deadline implements EndSignal {
  readonly #end: number
  readonly #expired: () => LockstepError

  /** Starts now. `expired` returns the error for work that takes longer. */
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
 * Drives a run to its end. At each yield it waits for what `pause` returns and for `turn`; by default for the next
 * turn of the event loop. Returns the result synchronously if there is nothing to wait for.
 * @throws REQUEST_TIMEOUT once `signal` is aborted, or the abort reason if it is a LockstepError.
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

/** @throws REQUEST_TIMEOUT if `signal` is aborted, or the abort reason if it is a LockstepError. */
export function checkAborted(signal: EndSignal): void {
  if (signal.aborted) throw abortError(signal)
}

/** Returns the error for aborted work: the abort reason if it is a LockstepError, else REQUEST_TIMEOUT. */
export function abortError({ reason }: Pick<EndSignal, 'reason'>): LockstepError {
  if (reason instanceof LockstepError) return reason
  return new LockstepError('REQUEST_TIMEOUT', 'execution aborted (timeout)', { cause: reason })
}
