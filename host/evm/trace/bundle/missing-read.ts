import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { StepRecord, TraceSink } from '../../engine/trace-event.ts'
import type { StateView } from '../../state/view.ts'
import type { StepPlace } from './difference.ts'
import { StepWatch } from './step-digest.ts'

/**
 * Finds the step that first reads a value missing in the state. Serves as both the state and the sink of the run.
 * Steps are delivered after they ran, so the read returns nothing and the next step delivered is the reader. Later
 * steps differ from the recorded run and are ignored.
 */
export class MissingRead implements StateView, TraceSink {
  /** The engine must deliver each step at once. */
  readonly steps = { stack: true, memory: false, each: true }
  readonly #state: StateView
  /** Steps up to the read. */
  readonly #before: StepWatch
  #isMissing = false
  #next: StepPlace | undefined

  constructor(state: StateView, recorded: Uint32Array | undefined) {
    this.#state = state
    this.#before = new StepWatch(recorded)
  }

  /** The first step before the read that differs from the recording. */
  get divergence(): StepPlace | undefined {
    return this.#before.divergence
  }

  /** The step that reads; undefined if the read precedes the first step. */
  get place(): StepPlace | undefined {
    const { last } = this.#before
    const next = this.#next
    if (last === undefined || next === undefined) return last
    // A call is followed by the first step of its frame, which reads nothing: the call was the reader.
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
