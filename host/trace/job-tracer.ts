import type { Engine } from '../engine/engine.ts'
import type { StepOptions } from '../engine/trace-event.ts'
import { checkAborted } from '../execute/run-until.ts'
import type { StateView } from '../state/view.ts'
import type { JsonWriter } from './json-writer.ts'
import { DEFAULT_SCRIPT_LIMITS } from './script/limits.ts'
import type { ScriptEngine } from './script/sandbox.ts'
import { likelySteps, openScriptTracer, RerunNeeded } from './script/script-tracer.ts'
import type { TracedMessage, Tracer, TracerLimits } from './tracer.ts'
import type { TracerConfig } from './tracer-config.ts'
import { isScript, openTracer } from './tracers.ts'

/** What a job's messages are watched with. */
export interface TracerChoice {
  /** A name of the table, or source. */
  readonly tracer: string
  readonly config: TracerConfig
  readonly limits: TracerLimits
}

/** Where tracers write, and what scripts need beside. */
export interface TracerContext {
  readonly engine: Pick<Engine, 'keccak256'>
  readonly writer: JsonWriter
  readonly signal: AbortSignal
  /** Opens what scripts run in. */
  readonly scripts: () => Promise<ScriptEngine>
  /** Asked every few milliseconds while a script runs; what it throws ends the trace. */
  readonly onScriptTick?: () => void
}

/** A message about to run, and how to stand before it once more. */
export interface WatchedMessage {
  readonly message: TracedMessage
  /** The state that the engine's needs are answered from. */
  readonly view: StateView
  readonly again: () => Promise<unknown>
}

/** The tracer of a job, opened anew for each message that it watches. */
export class JobTracer {
  readonly #choice: TracerChoice
  readonly #context: TracerContext
  /** What the script's steps are recorded with. */
  #steps: StepOptions

  constructor(choice: TracerChoice, context: TracerContext) {
    this.#choice = choice
    this.#context = context
    this.#steps = likelySteps(choice.tracer)
  }

  /**
   * Opens the tracer for `work`, which runs the message, and closes it however that ends. A script that
   * reads what its steps were not recorded with has its message run again, with that.
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
    const request = { message, config, limits, view, writer }
    if (!isScript(tracer)) return openTracer(tracer, request, keccak256)
    const context = {
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
    return openScriptTracer(tracer, context, request, this.#steps)
  }
}
