import type { Hex } from '../../../base/hex.ts'
import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import type { IndexedCall } from './call-index.ts'
import { LINE_MARKS, type LineMarks } from './line-marks.ts'
import type { StepVisitor } from './step-walk.ts'
import type { InternalCall } from './stepper.ts'

/** Maximum calls to list: a loop may make millions. */
const MOST = 200_000
/** The EVM's stack holds no more return addresses. */
const DEEPEST = 1_024

type Draft = { -readonly [Name in keyof InternalCall]: InternalCall[Name] }

/** An open internal function; without a record if the compiler generated it, or if there are too many. */
interface Open {
  readonly record: Draft | undefined
  /** The pc after the jump, where calls of most compilers return to. */
  readonly returnPc: number
  readonly gas: number
}

interface OpenFrame {
  readonly marks: LineMarks | undefined
  readonly open: Open[]
  /** The innermost function with a record; that of the caller if this frame has none. */
  readonly above: InternalCall | undefined
  /** Of the previous step of the frame. */
  mark: number
  pc: number
  gas: number
}

/** Lists the internal functions that ran, by the jumps that the source maps mark as calls and returns. */
export class InternalCallVisitor implements StepVisitor {
  readonly steps = { stack: false, memory: false }
  readonly #calls: readonly IndexedCall[]
  readonly #marks: ReadonlyMap<Hex, LineMarks>
  readonly #frames = new Map<number, OpenFrame>()
  readonly #found: Draft[] = []

  constructor(calls: readonly IndexedCall[], marks: ReadonlyMap<Hex, LineMarks>) {
    this.#calls = calls
    this.#marks = marks
  }

  onStep({ pc, gas }: StepRecord, index: number, call: IndexedCall): void {
    const frame = this.#frames.get(call.index) ?? this.#enter(call)
    if (frame.marks === undefined) return
    if ((frame.mark & LINE_MARKS.in) !== 0) this.#push(frame, call, { pc, gas, index })
    else if ((frame.mark & LINE_MARKS.out) !== 0) pop(frame, pc, index, gas)
    frame.mark = frame.marks[pc] ?? 0
    frame.pc = pc
    frame.gas = gas
  }

  /** Returns the functions in the order of their entry. */
  finish(): readonly InternalCall[] {
    for (const [index, { open }] of this.#frames) {
      const { endStep, gas, gasUsed } = this.#calls[index] as IndexedCall
      while (open.length > 0) close(open.pop() as Open, endStep, Number(gas - gasUsed))
    }
    return this.#found
  }

  #enter(call: IndexedCall): OpenFrame {
    const above = call.parent === undefined ? undefined : this.#frames.get(call.parent)
    const marks = this.#marks.get(call.codeHash)
    const frame = { marks, open: [], above: above && innermost(above), mark: 0, pc: 0, gas: 0 }
    this.#frames.set(call.index, frame)
    return frame
  }

  #push(
    frame: OpenFrame,
    call: IndexedCall,
    { pc, gas, index }: { readonly pc: number; readonly gas: number; readonly index: number },
  ): void {
    const isUser = ((frame.marks?.[pc] ?? 0) & LINE_MARKS.line) !== 0
    let record: Draft | undefined
    if (isUser && this.#found.length < MOST) {
      record = {
        index: this.#found.length,
        call: call.index,
        parent: innermost(frame)?.index,
        pc,
        callPc: frame.pc,
        firstStep: index,
        endStep: index,
        gasUsed: 0,
      }
      this.#found.push(record)
    }
    if (frame.open.length === DEEPEST) frame.open.shift()
    frame.open.push({ record, returnPc: frame.pc + 1, gas })
  }
}

function innermost({ open, above }: OpenFrame): InternalCall | undefined {
  return open.findLast(({ record }) => record !== undefined)?.record ?? above
}

/** Ends the function that returns to a pc; the innermost if none is known to, as in optimized code. */
function pop({ open }: OpenFrame, pc: number, index: number, gas: number): void {
  const at = open.findLastIndex(({ returnPc }) => returnPc === pc)
  const length = at < 0 ? Math.max(open.length - 1, 0) : at
  while (open.length > length) close(open.pop() as Open, index, gas)
}

function close({ record, gas }: Open, endStep: number, left: number): void {
  if (record === undefined) return
  record.endStep = endStep
  record.gasUsed = gas - left
}
