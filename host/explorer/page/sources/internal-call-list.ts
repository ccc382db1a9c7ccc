import type { InternalCall } from '../../browser/step/stepper.ts'

/** The internal functions of a run, found by step. */
export class InternalCallList {
  readonly all: readonly InternalCall[]
  readonly #first = new Map<number, InternalCall>()

  /** In the order of their entry. */
  constructor(all: readonly InternalCall[]) {
    this.all = all
    for (const one of all) if (!this.#first.has(one.call)) this.#first.set(one.call, one)
  }

  /** Returns the first function of a frame. */
  firstOf(frame: number): InternalCall | undefined {
    return this.#first.get(frame)
  }

  /** Returns the innermost function of a frame at a step; undefined if it is in none. */
  at(step: number, frame: number): InternalCall | undefined {
    let low = 0
    let high = this.all.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.all[middle] as InternalCall).firstStep <= step) low = middle + 1
      else high = middle
    }
    let found = this.all[low - 1]
    while (found !== undefined && (found.call !== frame || found.endStep <= step)) {
      // Outer frames have lower numbers.
      if (found.call < frame) return undefined
      found = this.callerOf(found)
    }
    return found
  }

  /** Returns the functions of a frame that are open at a step, innermost first. */
  stackAt(step: number, frame: number): readonly InternalCall[] {
    const stack: InternalCall[] = []
    let found = this.at(step, frame)
    while (found !== undefined && found.call === frame) {
      stack.push(found)
      found = this.callerOf(found)
    }
    return stack
  }

  /** Returns the function that called another, also in an outer frame. */
  callerOf({ parent }: InternalCall): InternalCall | undefined {
    return parent === undefined ? undefined : this.all[parent]
  }
}
