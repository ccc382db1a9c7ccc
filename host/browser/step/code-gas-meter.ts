import type { StepOptions, StepRecord, TraceEvent } from '../../engine/trace-event.ts'
import type { CodeGas } from '../stepper.ts'
import type { IndexedCall } from './call-index.ts'
import type { StepVisitor } from './step-walk.ts'

interface Place {
  gas: number
  count: number
}

interface OpenFrame {
  readonly call: IndexedCall
  readonly places: Map<number, Place>
  /** The newest step, the gas before it, and what the frames below it used since. */
  pc: number
  gas: number
  below: number
}

/**
 * Adds up the gas that steps use: what the frame has less at its next step, without what the frames that it
 * entered used. So the sums over a frame and those below it are the gas that it used.
 */
export class CodeGasMeter implements StepVisitor {
  readonly steps: StepOptions = { stack: false, memory: false }
  readonly #calls: readonly IndexedCall[]
  readonly #open: OpenFrame[] = []
  readonly #rows: CodeGas[] = []

  constructor(calls: readonly IndexedCall[]) {
    this.#calls = calls
  }

  onStep({ pc, gas }: StepRecord): void {
    const frame = this.#open.at(-1) as OpenFrame
    this.#settle(frame, gas)
    frame.pc = pc
    frame.gas = gas
    frame.below = 0
  }

  onEvent(event: TraceEvent, _: number, index: number): void {
    if (event.kind === 'enter') {
      const call = this.#calls[index] as IndexedCall
      this.#open.push({ call, places: new Map(), pc: -1, gas: 0, below: 0 })
    } else if (event.kind === 'exit') {
      this.#leave(Number(event.gasUsed))
    }
  }

  finish(): CodeGas[] {
    return this.#rows
  }

  #leave(used: number): void {
    const frame = this.#open.pop() as OpenFrame
    const { call, places } = frame
    this.#settle(frame, Number(call.gas) - used)
    const parent = this.#open.at(-1)
    if (parent !== undefined) parent.below += used
    const { codeHash, index } = call
    for (const [pc, { gas, count }] of places) {
      this.#rows.push({ codeHash, pc, gas, count, call: index })
    }
  }

  #settle({ places, pc, gas, below }: OpenFrame, left: number): void {
    if (pc < 0) return
    const place = places.get(pc)
    const used = gas - left - below
    if (place === undefined) places.set(pc, { gas: used, count: 1 })
    else {
      place.gas += used
      place.count++
    }
  }
}
