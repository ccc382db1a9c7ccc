import { LockstepError } from '../../../base/error.ts'
import type { TraceEvent, TraceSink } from '../../engine/trace-event.ts'

/**
 * Forwards events to a sink until it fails. The transaction still runs to its end, because later ones need its
 * effects.
 */
export class TolerantSink implements TraceSink {
  readonly #sink: TraceSink
  #failure: LockstepError | undefined
  readonly steps?: NonNullable<TraceSink['steps']>
  readonly wantsState?: boolean
  readonly ignoresLogs?: boolean
  readonly onBegin?: NonNullable<TraceSink['onBegin']>
  readonly onStep?: NonNullable<TraceSink['onStep']>
  readonly onMemory?: NonNullable<TraceSink['onMemory']>

  constructor(sink: TraceSink) {
    this.#sink = sink
    if (sink.steps !== undefined) this.steps = sink.steps
    if (sink.wantsState !== undefined) this.wantsState = sink.wantsState
    if (sink.ignoresLogs !== undefined) this.ignoresLogs = sink.ignoresLogs
    if (sink.onBegin !== undefined) this.onBegin = this.#tolerate(sink.onBegin.bind(sink))
    if (sink.onStep !== undefined) this.onStep = this.#tolerate(sink.onStep.bind(sink))
    if (sink.onMemory !== undefined) this.onMemory = this.#tolerate(sink.onMemory.bind(sink))
  }

  /** The first failure. */
  get failure(): LockstepError | undefined {
    return this.#failure
  }

  onEvent(event: TraceEvent): void {
    if (this.#failure !== undefined) return
    try {
      this.#sink.onEvent(event)
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  #tolerate<Args extends readonly unknown[]>(hear: (...args: Args) => void) {
    return (...args: Args): void => {
      if (this.#failure !== undefined) return
      try {
        hear(...args)
      } catch (thrown) {
        this.#fail(thrown)
      }
    }
  }

  /** Records an error of the tracer. Rethrows a defect, which ends the run. */
  #fail(thrown: unknown): void {
    if (!(thrown instanceof LockstepError)) throw thrown
    this.#failure = thrown
  }
}
