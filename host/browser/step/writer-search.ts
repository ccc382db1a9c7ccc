import type { StepOptions, StepRecord } from '../../engine/trace-event.ts'
import type { Written } from '../stepper.ts'
import type { StepVisitor } from './step-walk.ts'
import { writtenPlaces } from './written-places.ts'

type InFrame = Extract<Written, { kind: 'stack' | 'memory' }>

/** Looks for the last step before `at` that wrote a word of the stack, or a byte of the memory, of the frame of `at`. */
export class WriterSearch implements StepVisitor {
  readonly steps: StepOptions
  readonly #what: InFrame
  readonly #at: number
  readonly #call: number
  writer: number | undefined
  isOver = false

  constructor(what: InFrame, at: number, call: number) {
    this.steps = { stack: false, memory: what.kind === 'memory' }
    this.#what = what
    this.#at = at
    this.#call = call
  }

  onStep({ opcode, stackHeight }: StepRecord, index: number, call: number): void {
    if (index >= this.#at) this.isOver = true
    if (this.isOver || call !== this.#call || this.#what.kind !== 'stack') return
    if (writtenPlaces(opcode, stackHeight).includes(this.#what.place)) this.writer = index
  }

  onMemory(call: number, writer: number, offset: number, bytes: Uint8Array): void {
    if (this.isOver || call !== this.#call || this.#what.kind !== 'memory') return
    const { offset: wanted } = this.#what
    if (wanted >= offset && wanted < offset + bytes.length) this.writer = writer
  }
}
