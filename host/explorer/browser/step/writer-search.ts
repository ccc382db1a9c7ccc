import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import { callAt, stepBefore } from './call-cursor.ts'
import type { IndexedCall } from './call-index.ts'
import type { StepVisitor } from './step-walk.ts'
import type { Written } from './stepper.ts'
import { writtenPositions } from './written-positions.ts'

type InFrame = Extract<Written, { kind: 'stack' | 'memory' }>

/** Finds the last step that wrote a stack word, or a memory byte, of one frame. */
export class WriterSearch implements StepVisitor {
  readonly steps: StepVisitor['steps']
  readonly #what: InFrame
  readonly #calls: readonly IndexedCall[]
  readonly #call: IndexedCall
  writer: number | undefined

  constructor(what: InFrame, calls: readonly IndexedCall[], call: IndexedCall) {
    this.steps = { stack: false, memory: what.kind === 'memory' }
    this.#what = what
    this.#calls = calls
    this.#call = call
  }

  onStep({ opcode, stackHeight }: StepRecord, index: number, call: IndexedCall): void {
    if (call !== this.#call || this.#what.kind !== 'stack') return
    if (writtenPositions(opcode, stackHeight).includes(this.#what.place)) this.writer = index
  }

  onMemory(depth: number, offset: number, bytes: Uint8Array, index: number): void {
    if (this.#what.kind !== 'memory' || depth !== this.#call.depth) return
    const { offset: wanted } = this.#what
    if (wanted < offset || wanted >= offset + bytes.length) return
    if (callAt(this.#calls, index) === this.#call) this.writer = index
    else if (callAt(this.#calls, index + 1) === this.#call) {
      this.writer = stepBefore(this.#calls, this.#call, index + 1)
    }
  }
}
