import { LockstepError } from '../../base/error.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { Answer, Need, Run } from '../engine/need.ts'
import { AbsentPart } from './absent-part.ts'
import type { AsyncStateView, StateView } from './view.ts'

/** Answers a call to a precompile that lives outside the engine. */
export type HostCallAnswerer = (need: Need & { kind: 'host' }) => Answer

function refuseHostCall(): never {
  throw new LockstepError('ENGINE_FAULT', 'the engine called the host, which answers no calls')
}

export interface AnswerOptions {
  /**
   * Called when a slice of fuel is used up, and when a part of the trace was delivered; what it throws ends
   * the run (deadline, cancelled client).
   */
  readonly onYield?: (() => void) | undefined
  readonly onHostCall?: HostCallAnswerer | undefined
}

export interface AsyncAnswerOptions extends AnswerOptions {
  /** Waits until the run may go on, undefined at once; the next turn of the event loop when absent. */
  readonly turn?: (() => Promise<void> | undefined) | undefined
  /** As `AnswerOptions.onYield`; a promise is awaited, which pauses the engine for a slow reader. */
  readonly onYield?: (() => void | Promise<void>) | undefined
}

/** Drives a run to its end with answers from a view that answers at once. */
export function answerFrom<Result>(
  run: Run<Result>,
  view: StateView,
  options: AnswerOptions = {},
): Result {
  const { onYield, onHostCall = refuseHostCall } = options
  let step = run.next(undefined)
  try {
    while (!step.done) {
      // A view that answers at once gives no promises.
      step = run.next(answerNeed(step.value, view, onYield, onHostCall) as Answer)
    }
    return step.value
  } finally {
    // A view or hook that throws ends the run: the engine gives the message up
    if (!step.done) run.return(undefined as Result)
  }
}

/** Milliseconds that reads may take in one turn of the event loop: a read is no yield. */
const TURN_MS = 2

/**
 * Drives a run to its end with answers from a view that may have to fetch. At each yield, and after some
 * reads, the event loop gets a turn before `onYield`, so that timers and closed connections are noticed.
 */
export async function answerFromAsync<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  options: AsyncAnswerOptions = {},
): Promise<Result> {
  return answerSoon(run, view, options)
}

/** As `answerFromAsync`; a run that has nothing to wait for is at its end when this returns, and no promise is made. */
export function answerSoon<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  options: AsyncAnswerOptions = {},
): Result | Promise<Result> {
  const waits = waitsOf(run, view, options)
  const first = waits.next()
  return first.done ? first.value : awaitAll(waits, first.value)
}

/** Waits for each promise that is yielded, from `first` on; the result at the end. */
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

/** Drives a run to its end; yields what has to be waited for. */
function* waitsOf<Result>(
  run: Run<Result>,
  view: AsyncStateView,
  { onYield, onHostCall = refuseHostCall, turn = nextTurn }: AsyncAnswerOptions,
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
      // An answer given at once is the caller's until its next call only: nobody may come between.
      const answer = answerOrAbsent(need, view, onHostCall)
      if (answer instanceof AbsentPart) {
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

/** The part that the view lacks, where it says so. */
function answerOrAbsent(
  need: Need,
  view: AsyncStateView,
  onHostCall: HostCallAnswerer,
): Answer | Promise<Answer> | AbsentPart {
  try {
    return answerNeed(need, view, undefined, onHostCall)
  } catch (thrown) {
    if (thrown instanceof AbsentPart) return thrown
    throw thrown
  }
}

/** A promise only where the view gave one. */
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
