import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { StepRecord, TraceSink } from '../../engine/trace-event.ts'
import type { StateView } from '../../state/view.ts'
import type { StepPlace } from './difference.ts'
import { StepWatch } from './step-digest.ts'

/**
 * Finds the step at which a run first reads what its state lacks: both the state and the sink of that run. A
 * step is told once it has run, so the read is answered with nothing, and the next step is the one. Steps
 * after it are not of the recorded run any more and are not looked at.
 */
export class MissingRead implements StateView, TraceSink {
  /** Steps must not be told late: the engine stops at each. */
  readonly steps = { stack: true, memory: false, each: true }
  readonly #state: StateView
  /** The steps up to the read. */
  readonly #before: StepWatch
  #isMissing = false
  #next: StepPlace | undefined

  constructor(state: StateView, recorded: Uint32Array | undefined) {
    this.#state = state
    this.#before = new StepWatch(recorded)
  }

  /** A step before the read that is not the recorded one. */
  get divergence(): StepPlace | undefined {
    return this.#before.divergence
  }

  /** The step that reads; undefined where that is before the first. */
  get place(): StepPlace | undefined {
    const { last } = this.#before
    const next = this.#next
    if (last === undefined || next === undefined) return last
    // After a call into a frame the frame's first step follows, which reads nothing: the call was the reader.
    return next.depth > last.depth ? last : next
  }

  account(address: Uint8Array): Uint8Array | undefined {
    return this.#ask(() => this.#state.account(address))
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    return this.#ask(() => this.#state.storage(address, slot))
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#ask(() => this.#state.code(codeHash)) ?? EMPTY_BYTES
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#ask(() => this.#state.blockHash(number))
  }

  onEvent(): void {}

  onStep(step: StepRecord): void {
    if (!this.#isMissing) {
      this.#before.onStep(step)
    } else if (this.#next === undefined) {
      const { pc, opcode, depth, gas } = step
      this.#next = { step: this.#before.count, pc, opcode, depth, gas }
    }
  }

  #ask<Answer>(read: () => Answer): Answer | undefined {
    try {
      return read()
    } catch {
      this.#isMissing = true
      return undefined
    }
  }
}
