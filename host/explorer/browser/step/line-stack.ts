import { LINE_MARKS, type LineMarks } from './line-marks.ts'

/** The EVM's stack holds no more return addresses. Unpaired jumps of optimized code must not pile up either. */
const DEEPEST = 1_024

/** The internal call stack of a frame while its steps are read forwards: the line that each function has reached. */
export class LineStack {
  readonly #marks: LineMarks
  readonly #lines: (number | undefined)[] = [undefined]
  #wide: number | undefined

  constructor(marks: LineMarks) {
    this.#marks = marks
  }

  /** Returns the pc to which an executed instruction belongs: of the innermost line on the stack, else its own. */
  read(pc: number): number {
    const mark = this.#marks[pc] ?? 0
    const lines = this.#lines
    const top = lines.length - 1
    if ((mark & LINE_MARKS.line) !== 0) lines[top] = pc
    else if ((mark & LINE_MARKS.wide) !== 0) this.#wide = pc
    const line = lines[top] ?? this.#wide ?? pc
    if ((mark & LINE_MARKS.in) !== 0) {
      if (lines.length === DEEPEST) lines.shift()
      lines.push(lines[lines.length - 1])
    } else if ((mark & LINE_MARKS.out) !== 0 && top > 0) {
      lines.pop()
    }
    return line
  }
}
