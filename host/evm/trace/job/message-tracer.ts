import type { StepOptions } from '../../engine/trace-event.ts'
import { checkAborted } from '../../execute/run-until.ts'
import type { StateView } from '../../state/view.ts'
import type { PagedList } from '../joined-list.ts'
import { DEFAULT_SCRIPT_LIMITS } from '../script/limits.ts'
import { likelySteps, RerunNeeded } from '../script/recorded-steps.ts'
import type { TracedMessage, Tracer } from '../tracer.ts'
import { isScript, openTracer } from '../tracers/tracer-table.ts'
import type { TraceContext } from './trace-context.ts'
import type { TracerChoice } from './trace-job.ts'

/** A message about to be executed. */
export interface WatchedMessage {
  readonly message: TracedMessage
  /** State from which the engine's needs are answered. */
  readonly view: StateView
  /** Resets the engine to the state before the message. */
  readonly again: () => Promise<unknown>
}

/** The tracer of a job. It is opened again for each traced message. */
export class MessageTracer {
  readonly #choice: TracerChoice
  readonly #context: TraceContext
  readonly #joined: PagedList | undefined
  /** Parts of each step that the engine records for a script. */
  #steps: StepOptions

  /** If `joined` is given, the tracers write their items into that open list. */
  constructor(choice: TracerChoice, context: TraceContext, joined?: PagedList) {
    this.#choice = choice
    this.#joined = joined
    this.#context = context
    this.#steps = likelySteps(choice.tracer)
  }

  /**
   * Opens the tracer, calls `work` to execute the message, and always closes the tracer. If a script reads a part of
   * its steps that was not recorded, the message is executed again with that part.
   */
  async watch(watched: WatchedMessage, work: (tracer: Tracer) => Promise<void>): Promise<void> {
    while (true) {
      const tracer = await this.#open(watched)
      try {
        await work(tracer)
        return
      } catch (thrown) {
        if (!(thrown instanceof RerunNeeded)) throw thrown
        this.#steps = thrown.steps
      } finally {
        tracer.close?.()
      }
      await watched.again()
    }
  }

  async #open({ message, view }: WatchedMessage): Promise<Tracer> {
    const { tracer, config, limits } = this.#choice
    const { engine, writer, signal, scripts, onScriptTick } = this.#context
    const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
    const request = { message, config, limits, view, writer, joined: this.#joined }
    if (!isScript(tracer)) return openTracer(tracer, request, keccak256)
    // Loaded on demand, as most pages run no script.
    const { openScriptTracer } = await import('../script/script-tracer.ts')
    const scriptContext = {
      engine: await scripts(),
      view,
      keccak256,
      onTick: () => {
        checkAborted(signal)
        onScriptTick?.()
      },
      ...(limits.scriptBytes !== undefined && {
        limits: { ...DEFAULT_SCRIPT_LIMITS, memoryBytes: limits.scriptBytes },
      }),
    }
    return openScriptTracer(tracer, scriptContext, request, this.#steps)
  }
}
