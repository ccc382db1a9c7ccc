import type { StepOptions, StepRecord } from '../../../evm/engine/trace-event.ts'
import { CallCursor } from './call-cursor.ts'
import type { IndexedCall } from './call-index.ts'
import type { StoppingSink } from './transaction-run.ts'

/** Visits steps, each with its number and frame. */
export interface StepVisitor {
  readonly steps: Pick<StepOptions, 'stack' | 'memory'>
  /** True to stop. */
  readonly isOver?: boolean
  onStep(step: StepRecord, index: number, call: IndexedCall): void
  /**
   * Called when step `index`, or the end of the frame whose last step it is, wrote into the memory of the frame at a
   * depth.
   */
  onMemory?(depth: number, offset: number, bytes: Uint8Array, index: number): void
}

/** Shows a visitor the steps from `from` to `end`, of a run that starts at or before them. */
export class StepWalk implements StoppingSink {
  readonly ignoresCalls = true
  readonly ignoresLogs = true
  readonly #visitor: StepVisitor
  readonly #calls: CallCursor
  readonly #from: number
  readonly #end: number
  #next: number

  constructor(
    visitor: StepVisitor,
    calls: readonly IndexedCall[],
    { beginning, from, end }: { beginning: number; from: number; end: number },
  ) {
    this.#visitor = visitor
    this.#calls = new CallCursor(calls)
    this.#from = from
    this.#end = end
    this.#next = beginning
  }

  get next(): number {
    return this.#next
  }

  get isOver(): boolean {
    return this.#next >= this.#end || this.#visitor.isOver === true
  }

  get steps(): StepOptions {
    const next = this.#next
    if (next < this.#from) return { stack: false, memory: false, count: this.#from - next }
    return { ...this.#visitor.steps, count: this.#end - next }
  }

  onEvent(): void {}

  /** Skipped steps are not even counted. */
  get onStep(): ((step: StepRecord) => void) | undefined {
    return this.#next < this.#from ? undefined : this.#show
  }

  onMemory(depth: number, offset: number, bytes: Uint8Array): void {
    this.#visitor.onMemory?.(depth, offset, bytes, this.#next - 1)
  }

  onPause(): void {
    if (this.#next < this.#from) this.#next = this.#from
  }

  readonly #show = (step: StepRecord): void => {
    if (this.isOver) return
    const index = this.#next++
    this.#visitor.onStep(step, index, this.#calls.at(index))
  }
}
