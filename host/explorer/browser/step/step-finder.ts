import { LockstepError } from '../../../base/error.ts'
import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import type { IndexedCall } from './call-index.ts'
import { compileStopCondition, type Matcher } from './condition.ts'
import type { StepVisitor } from './step-walk.ts'
import type { Condition, FoundStep } from './stepper.ts'

/** Finds the first, or the last, visited step at which one of the conditions holds. */
export class StepFinder implements StepVisitor {
  readonly steps = { stack: false, memory: false }
  readonly #matchers: readonly Matcher[]
  /** The frames by the step that entered them. */
  readonly #entered: ReadonlyMap<number, IndexedCall>
  readonly #wantsFirst: boolean
  found: FoundStep | undefined

  /** @throws INVALID_ARGUMENT */
  constructor(
    conditions: readonly Condition[],
    calls: readonly IndexedCall[],
    direction: 'forward' | 'back',
  ) {
    if (conditions.length === 0) {
      throw new LockstepError('INVALID_ARGUMENT', 'there is no condition to look for')
    }
    this.#matchers = conditions.map(compileStopCondition)
    this.#entered = new Map(calls.map((call) => [call.firstStep - 1, call]))
    this.#wantsFirst = direction === 'forward'
  }

  get isOver(): boolean {
    return this.#wantsFirst && this.found !== undefined
  }

  onStep(step: StepRecord, index: number, call: IndexedCall): void {
    const place = { index, call, entered: this.#entered.get(index) }
    for (const [which, matches] of this.#matchers.entries()) {
      if (!matches(step, place)) continue
      this.found = { index, which }
      return
    }
  }
}
