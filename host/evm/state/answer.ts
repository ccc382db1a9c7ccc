import { LockstepError } from '../../base/error.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import type { Answer, Need, Run } from '../engine/need.ts'
import { MissingState } from './missing-state.ts'
import type { AsyncStateView, StateView } from './view.ts'

/** Answers a call to a precompile outside the engine. */
export type HostCallAnswerer = (need: Need & { kind: 'host' }) => Answer

function refuseHostCall(): never {
  throw new LockstepError(
    'ENGINE_FAULT',
    'the engine made a host call, but no `onHostCall` was given',
  )
}

export interface AnswerOptions {
  /**
   * Called when a fuel slice is used up or part of the trace was delivered. An error it throws (deadline,
   * disconnected client) ends the run.
   */
  readonly onYield?: (() => void) | undefined
  readonly onHostCall?: HostCallAnswerer | undefined
}

export interface AsyncAnswerOptions extends AnswerOptions {
  /**
   * Waits until the run may continue, not at all if it returns undefined. Defaults to the next turn of the event
   * loop.
   */
  readonly turn?: (() => Promise<void> | undefined) | undefined
  /** Like `AnswerOptions.onYield`. A promise is awaited, which pauses the engine for a slow reader. */
  readonly onYield?: (() => void | Promise<void>) | undefined
}

/** Drives a run to its end with answers from a synchronous view. */
export function answerFrom<Result>(
  run: Run<Result>,
  view: StateView,
  options: AnswerOptions = {},
): Result {
  const { onYield, onHostCall = refuseHostCall } = options
  let step = run.next(undefined)
  try {
    while (!step.done) {
      // A synchronous view returns no promises.
      step = run.next(answerNeed(step.value, view, onYield, onHostCall) as Answer)
    }
    return step.value
  } finally {
    // If a view or hook throws, the engine aborts the message.
    if (!step.done) run.return(undefined as Result)
  }
}

/** Milliseconds that reads may take per turn of the event loop, because a read does not yield. */
const TURN_MS = 2

/**
 * Drives a run to its end with answers from a view that may fetch. At each yield, and after some reads, it waits for
 * `turn` and calls `onYield`, so that timers and closed connections are noticed.
 */
export async function answerFromAsync<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  options: AsyncAnswerOptions = {},
): Promise<Result> {
  return answerSoon(run, view, options)
}

/** Like `answerFromAsync`, but returns the result synchronously, without promises, if there is nothing to wait for. */
export function answerSoon<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  options: AsyncAnswerOptions = {},
): Result | Promise<Result> {
  const waits = waitsOf(run, view, options)
  const first = waits.next()
  return first.done ? first.value : awaitAll(waits, first.value)
}

/** Awaits each yielded promise, starting with `first`. Resolves with the result. */
async function awaitAll<Result>(
  waits: Generator<Promise<unknown>, Result, unknown>,
  first: Promise<unknown>,
): Promise<Result> {
  let wait = first
  for (;;) {
    const step = await wait.then(
      (value) => waits.next(value),
      (thrown) => waits.throw(thrown),
    )
    if (step.done) return step.value
    wait = step.value
  }
}

/** Drives a run to its end. Yields the promises to wait for. */
function* waitsOf<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  { onYield, onHostCall = refuseHostCall, turn = yieldToEventLoop }: AsyncAnswerOptions,
): Generator<Promise<unknown>, Result, unknown> {
  let step = run.next(undefined)
  let turnEnd = performance.now() + TURN_MS
  try {
    while (!step.done) {
      const need: Need = step.value
      if (need.kind === 'yield' || performance.now() > turnEnd) {
        const next = turn()
        if (next !== undefined) yield next
        const pause = onYield?.()
        if (pause instanceof Promise) yield pause
        turnEnd = performance.now() + TURN_MS
      }
      // A synchronous answer is valid only until the view's next call, so use it at once.
      const answer = answerOrAbsent(need, view, onHostCall)
      if (answer instanceof MissingState) {
        yield answer.arrival()
        const pause = onYield?.()
        if (pause instanceof Promise) yield pause
        continue
      }
      step = run.next(answer instanceof Promise ? ((yield answer) as Answer) : answer)
    }
    return step.value
  } finally {
    if (!step.done) run.return(undefined as Result)
  }
}

/** Returns the answer, or the `MissingState` that the view throws. */
function answerOrAbsent(
  need: Need,
  view: AsyncStateView,
  onHostCall: HostCallAnswerer,
): Answer | Promise<Answer> | MissingState {
  try {
    return answerNeed(need, view, undefined, onHostCall)
  } catch (thrown) {
    if (thrown instanceof MissingState) return thrown
    throw thrown
  }
}

/** Returns a promise only if the view does. */
function answerNeed(
  need: Need,
  view: AsyncStateView,
  onYield: (() => void) | undefined,
  onHostCall: HostCallAnswerer,
): Answer | Promise<Answer> {
  switch (need.kind) {
    case 'account':
      return view.account(need.address)
    case 'storage':
      return view.storage(need.address, need.slot)
    case 'code':
      return view.code(need.codeHash)
    case 'blockHash':
      return view.blockHash(need.number)
    case 'host':
      return onHostCall(need)
    case 'yield':
      onYield?.()
      return undefined
  }
}
