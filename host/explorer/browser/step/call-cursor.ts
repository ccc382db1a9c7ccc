import type { IndexedCall } from './call-index.ts'

/** Returns the number of frames entered before a step. */
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

/** Returns the frame of a step: the last entered of those that span it. */
export function callAt(calls: readonly IndexedCall[], step: number): IndexedCall {
  let call = calls[enteredBy(calls, step) - 1] as IndexedCall
  while (call.endStep <= step && call.parent !== undefined) call = calls[call.parent] as IndexedCall
  return call
}

/** Returns the previous step of the same frame; undefined for its first. */
export function stepBefore(
  calls: readonly IndexedCall[],
  call: IndexedCall,
  step: number,
): number | undefined {
  if (step <= call.firstStep) return undefined
  const before = callAt(calls, step - 1)
  if (before === call) return step - 1
  // The previous step is of a nested frame, which a step of this frame entered.
  let child = before
  while (child.parent !== call.index) child = calls[child.parent as number] as IndexedCall
  return child.firstStep - 1
}

/** Finds the frames of consecutive steps. */
export class CallCursor {
  readonly #calls: readonly IndexedCall[]
  #call: IndexedCall | undefined
  /** The first step that may be in another frame. */
  #end = 0

  constructor(calls: readonly IndexedCall[]) {
    this.#calls = calls
  }

  /** `step` must be after that of the previous call. */
  at(step: number): IndexedCall {
    if (this.#call === undefined || step >= this.#end) {
      this.#call = callAt(this.#calls, step)
      const next = this.#calls[enteredBy(this.#calls, step)]
      this.#end = Math.min(this.#call.endStep, next?.firstStep ?? this.#call.endStep)
    }
    return this.#call
  }
}
