import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import type { IndexedCall } from './call-index.ts'
import { LINE_MARKS, type LineMarks } from './line-marks.ts'
import type { StepVisitor } from './step-walk.ts'

/**
 * Finds the innermost source line on the internal call stack of a step: the latest instruction of a line in the same
 * frame, without those of internal functions that have returned. The windows between checkpoints are visited from the
 * last to the first; `finish` must follow each.
 */
export class LineSearch implements StepVisitor {
  readonly steps = { stack: false, memory: false }
  readonly #call: IndexedCall
  readonly #marks: LineMarks
  /** The pcs of a window. */
  #window: number[] = []
  /** Internal functions between here and the step that have returned before it. */
  #returned = 0
  #line: number | undefined
  /** The best of what is left if no line is on the stack: jumps of optimized code may not be paired. */
  #other: { readonly pc: number; readonly rank: number } | undefined

  constructor(call: IndexedCall, marks: LineMarks) {
    this.#call = call
    this.#marks = marks
  }

  get isFound(): boolean {
    return this.#line !== undefined
  }

  /** The pc of the instruction; undefined if the frame ran no source before the step. */
  get pc(): number | undefined {
    return this.#line ?? this.#other?.pc
  }

  onStep({ pc }: StepRecord, _: number, call: IndexedCall): void {
    if (call === this.#call) this.#window.push(pc)
  }

  /** Ends a window: reads its steps backwards. */
  finish(): void {
    for (let i = this.#window.length - 1; i >= 0 && !this.isFound; i--) {
      this.#read(this.#window[i] as number)
    }
    this.#window = []
  }

  #read(pc: number): void {
    const mark = this.#marks[pc] ?? 0
    if ((mark & LINE_MARKS.out) !== 0) this.#returned++
    else if ((mark & LINE_MARKS.in) !== 0 && this.#returned > 0) this.#returned--
    if ((mark & LINE_MARKS.line) !== 0) {
      if (this.#returned === 0) this.#line = pc
      else this.#keep(pc, 2)
    } else if ((mark & LINE_MARKS.wide) !== 0) {
      this.#keep(pc, 1)
    }
  }

  #keep(pc: number, rank: number): void {
    if (this.#other === undefined || this.#other.rank < rank) this.#other = { pc, rank }
  }
}
