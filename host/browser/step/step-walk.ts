import type { LiveState } from '../../engine/live-state.ts'
import type { StepOptions, StepRecord, TraceEvent, TraceSink } from '../../engine/trace-event.ts'

/** Looks at the steps of a transaction, each with its number and the index of its frame. */
export interface StepVisitor {
  readonly steps: StepOptions
  onBegin?(live: LiveState): void
  onStep(step: StepRecord, index: number, call: number): void
  /** `writer` is the step whose opcode, or the end of whose call, wrote into the memory of frame `call`. */
  onMemory?(call: number, writer: number, offset: number, bytes: Uint8Array): void
  onEvent?(event: TraceEvent, index: number, call: number): void
}

/** A place between two steps. */
export interface WalkStart {
  /** Number of the next step. */
  readonly index: number
  /** The frames that are open, the outermost first. */
  readonly open: readonly number[]
  /** Index of the next frame. */
  readonly nextCall: number
}

export const BEGINNING: WalkStart = { index: 0, open: [], nextCall: 0 }

/** Numbers the steps and frames of a transaction. */
export class StepWalk implements TraceSink {
  readonly steps: StepOptions
  readonly ignoresLogs: boolean
  readonly #visitor: StepVisitor
  readonly #open: number[]
  /** The newest step of each open frame. */
  readonly #newest: number[]
  #index: number
  #nextCall: number

  constructor(visitor: StepVisitor, { index, open, nextCall }: WalkStart = BEGINNING) {
    this.steps = visitor.steps
    this.ignoresLogs = visitor.onEvent === undefined
    this.#visitor = visitor
    this.#open = [...open]
    this.#newest = open.map(() => index - 1)
    this.#index = index
    this.#nextCall = nextCall
  }

  /** Number of the next step. */
  get index(): number {
    return this.#index
  }

  onBegin(live: LiveState): void {
    this.#visitor.onBegin?.(live)
  }

  onStep(step: StepRecord): void {
    const index = this.#index++
    const depth = this.#open.length - 1
    this.#newest[depth] = index
    this.#visitor.onStep(step, index, this.#open[depth] as number)
  }

  onMemory(depth: number, offset: number, bytes: Uint8Array): void {
    const frame = depth - 1
    const call = this.#open[frame] as number
    this.#visitor.onMemory?.(call, this.#newest[frame] as number, offset, bytes)
  }

  onEvent(event: TraceEvent): void {
    if (event.kind === 'enter') this.#enter()
    this.#visitor.onEvent?.(event, this.#index, this.#open.at(-1) as number)
    if (event.kind !== 'exit') return
    this.#open.pop()
    this.#newest.pop()
  }

  #enter(): void {
    this.#open.push(this.#nextCall++)
    this.#newest.push(this.#index - 1)
  }
}
