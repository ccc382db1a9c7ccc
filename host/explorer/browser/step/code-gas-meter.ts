import type { Hex } from '../../../base/hex.ts'
import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import type { IndexedCall } from './call-index.ts'
import type { LineMarks } from './line-marks.ts'
import { LineStack } from './line-stack.ts'
import type { StepVisitor } from './step-walk.ts'
import type { CodeGas } from './stepper.ts'

interface Place {
  gas: number
  count: number
}

/** A frame with its latest step: position, gas before it, and the gas of the frame that it entered. */
interface MeteredFrame {
  readonly call: IndexedCall
  readonly places: Map<number, Place>
  /** Undefined if the source is unknown. */
  readonly lines: LineStack | undefined
  /** Of the step, or of the line that it belongs to. */
  pc: number
  gas: number
  below: number
}

/**
 * Adds up the gas that steps use: the decrease until the frame's next step, minus the gas of the frame that it
 * entered. The sum over a frame and its nested frames is the gas that it used. With marks, compiler-generated code counts
 * for the line that called it.
 */
export class CodeGasMeter implements StepVisitor {
  readonly steps = { stack: false, memory: false }
  readonly #frames = new Map<IndexedCall, MeteredFrame>()
  /** The frames by the step that entered them. */
  readonly #entered: ReadonlyMap<number, IndexedCall>

  readonly #marks: ReadonlyMap<Hex, LineMarks>

  /** `marks` are those of codes with known sources, by code hash. */
  constructor(calls: readonly IndexedCall[], marks: ReadonlyMap<Hex, LineMarks>) {
    this.#marks = marks
    this.#entered = new Map(calls.map((call) => [call.firstStep - 1, call]))
  }

  onStep({ pc, gas, opcode }: StepRecord, index: number, call: IndexedCall): void {
    let frame = this.#frames.get(call)
    if (frame === undefined) {
      const marks = this.#marks.get(call.codeHash)
      const lines = marks && new LineStack(marks)
      frame = { call, places: new Map(), lines, pc, gas, below: 0 }
      this.#frames.set(call, frame)
    } else {
      settle(frame, gas)
    }
    frame.pc = frame.lines?.read(pc) ?? pc
    frame.gas = gas
    // No opcode below 0xf0 enters a frame.
    frame.below = opcode < 0xf0 ? 0 : Number(this.#entered.get(index)?.gasUsed ?? 0n)
  }

  finish(): CodeGas[] {
    const rows: CodeGas[] = []
    for (const frame of this.#frames.values()) {
      const { codeHash, gas: given, gasUsed, index } = frame.call
      settle(frame, Number(given - gasUsed))
      for (const [pc, { gas, count }] of frame.places) {
        rows.push({ codeHash, pc, gas, count, call: index })
      }
    }
    return rows
  }
}

function settle({ places, pc, gas, below }: MeteredFrame, left: number): void {
  const place = places.get(pc)
  const used = gas - left - below
  if (place === undefined) {
    places.set(pc, { gas: used, count: 1 })
  } else {
    place.gas += used
    place.count++
  }
}
