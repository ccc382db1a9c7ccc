import type { IndexedCall } from './call-index.ts'

/** Number of frames that have been entered before a step. */
export function enteredBy(calls: readonly IndexedCall[], step: number): number {
  let low = 0
  let high = calls.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((calls[middle] as IndexedCall).firstStep <= step) low = middle + 1
    else high = middle
  }
  return low
}

/** The frame that a step runs in: the last to be entered of those that span it. */
export function callAt(calls: readonly IndexedCall[], step: number): IndexedCall {
  let call = calls[enteredBy(calls, step) - 1] as IndexedCall
  while (call.endStep <= step && call.parent !== undefined) call = calls[call.parent] as IndexedCall
  return call
}

/** The step of a frame before one of its steps; undefined for its first. */
export function stepBefore(
  calls: readonly IndexedCall[],
  call: IndexedCall,
  step: number,
): number | undefined {
  if (step <= call.firstStep) return undefined
  const before = callAt(calls, step - 1)
  if (before === call) return step - 1
  // The step before is of a frame below, which one of this frame's steps entered
  let child = before
  while (child.parent !== call.index) child = calls[child.parent as number] as IndexedCall
  return child.firstStep - 1
}

/** Finds the frames of steps that follow one another. */
export class CallCursor {
  readonly #calls: readonly IndexedCall[]
  #call: IndexedCall | undefined
  /** The first step that may be in another frame. */
  #end = 0

  constructor(calls: readonly IndexedCall[]) {
    this.#calls = calls
  }

  /** `step` is after that of the call before. */
  at(step: number): IndexedCall {
    if (this.#call === undefined || step >= this.#end) {
      this.#call = callAt(this.#calls, step)
      const next = this.#calls[enteredBy(this.#calls, step)]
      this.#end = Math.min(this.#call.endStep, next?.firstStep ?? this.#call.endStep)
    }
    return this.#call
  }
}
