import { parseData } from '../../../base/hex.ts'
import type { LiveFrame, LiveState } from '../../../evm/engine/live-state.ts'
import type { StepOptions, StepRecord } from '../../../evm/engine/trace-event.ts'
import { callAt, stepBefore } from './call-cursor.ts'
import type { IndexedCall } from './call-index.ts'
import type { RunIndex } from './run-index.ts'
import { rowOf } from './step-row.ts'
import type { Changed, StepView } from './stepper.ts'
import type { StoppingSink } from './transaction-run.ts'
import { writtenPositions } from './written-positions.ts'

interface MemoryWrite {
  readonly depth: number
  readonly offset: number
  readonly size: number
}

/** Reads one step in full. The run stops before the previous step, to see its changes, and before the step itself. */
export class StepReader implements StoppingSink {
  readonly ignoresCalls = true
  readonly ignoresLogs = true
  readonly #known: RunIndex
  readonly #target: number
  readonly #call: IndexedCall
  readonly #writes: MemoryWrite[] = []
  #next: number
  #live: LiveState | undefined
  #frame: LiveFrame | undefined
  /** Stack positions written by the previous step, if it is of the same frame. */
  #places: readonly number[] | undefined
  #view: StepView | undefined

  constructor(known: RunIndex, target: number, beginning: number) {
    this.#known = known
    this.#target = target
    this.#call = callAt(known.calls, target)
    this.#next = beginning
  }

  get view(): StepView {
    return this.#view as StepView
  }

  get next(): number {
    return this.#next
  }

  get isOver(): boolean {
    return this.#view !== undefined
  }

  get steps(): StepOptions {
    const next = this.#next
    const ahead = this.#target - 1
    if (next < ahead) return { stack: false, memory: false, count: ahead - next }
    if (next === ahead) return { stack: false, memory: true, count: 1 }
    return { stack: true, memory: false, count: this.#frame === undefined ? 0 : 1 }
  }

  onBegin(live: LiveState): void {
    this.#live = live
  }

  onEvent(): void {}

  get onStep(): ((step: StepRecord) => void) | undefined {
    return this.#next < this.#target - 1 ? undefined : this.#look
  }

  onMemory(depth: number, offset: number, bytes: Uint8Array): void {
    if (this.#next === this.#target) this.#writes.push({ depth, offset, size: bytes.length })
  }

  onPause(): void {
    if (this.#next < this.#target - 1) this.#next = this.#target - 1
    else if (this.#next === this.#target) this.#frame = this.#live?.frame()
  }

  readonly #look = (step: StepRecord): void => {
    const index = this.#next
    if (index > this.#target) return
    this.#next++
    if (index === this.#target) this.#view = this.#viewOf(step)
    else if (callAt(this.#known.calls, index) === this.#call) {
      this.#places = writtenPositions(step.opcode, step.stackHeight)
    }
  }

  #viewOf(step: StepRecord): StepView {
    const { slots } = this.#known
    const { address, codeAddress, codeHash, type, input } = this.#call
    const { memory, returnData } = this.#frame as LiveFrame
    return {
      ...rowOf(step, this.#target, this.#call),
      refund: step.refund,
      ...{ address, codeAddress, codeHash, memory, returnData },
      stack: Array.from({ length: step.stackHeight }, (_, place) => step.wordAt(place)),
      input: type === 'CREATE' || type === 'CREATE2' ? new Uint8Array(0) : parseData(input),
      storage: slots.slotsAt('slot', address, this.#target),
      transient: slots.slotsAt('transient', address, this.#target),
      changed: this.#changed(step.stackHeight),
    }
  }

  #changed(height: number): Changed {
    const { calls, slots } = this.#known
    const { address, depth } = this.#call
    const before = stepBefore(calls, this.#call, this.#target)
    if (before === undefined) return { stack: [], memory: [], storage: [], transient: [] }
    const since = [address, before, this.#target] as const
    return {
      // A call that ran steps leaves its result on top.
      stack: this.#places ?? [height - 1],
      memory: this.#writes
        .filter((write) => write.depth === depth)
        .map(({ offset, size }) => ({ offset, size })),
      storage: slots.writtenSince('slot', ...since),
      transient: slots.writtenSince('transient', ...since),
    }
  }
}
