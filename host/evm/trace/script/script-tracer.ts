import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { Executed } from '../../engine/outcome.ts'
import type {
  EnterEvent,
  ExitEvent,
  StepOptions,
  StepRecord,
  TraceEvent,
  TraceSink,
} from '../../engine/trace-event.ts'
import type { Tracer, TracerRequest } from '../tracer.ts'
import type { ScriptStep } from './exchange.ts'
import { DEFAULT_SCRIPT_LIMITS, type ScriptLimits } from './limits.ts'
import { likelySteps, RerunNeeded } from './recorded-steps.ts'
import { type ScriptEngine, ScriptSandbox } from './sandbox.ts'
import { TracerBindings, type TracerBindingsContext } from './tracer-bindings.ts'

/** Everything a script tracer needs. */
export interface ScriptContext extends Omit<TracerBindingsContext, 'message'> {
  readonly engine: ScriptEngine
  readonly limits?: ScriptLimits
  /** Called every few milliseconds while the script runs. An error that it throws ends the trace. */
  readonly onTick?: () => void
}

/**
 * Failures during an opcode's execution, which geth reports to `fault`. Failed stack and gas checks are not reported.
 */
const FAULTS =
  /^(execution reverted|invalid (jump destination|opcode)|write protection|return data out of)/

/** Steps of which only the error is read. */
const NO_PARTS: StepOptions = { stack: false, memory: false, each: false }

/** Returns the step for `fault` if the script has no `step`: as in geth, only the error is known. */
function blankStep(error: string): ScriptStep {
  return {
    opcode: 0,
    depth: 0,
    pc: 0,
    gas: 0,
    cost: 0,
    refund: 0,
    memorySize: 0,
    stackHeight: 0,
    error,
    bytes: EMPTY_BYTES,
    stackAt: 0,
  }
}

class ScriptTracer implements Tracer {
  readonly sink: TraceSink
  readonly #request: TracerRequest
  readonly #scene: TracerBindings
  readonly #sandbox: ScriptSandbox

  constructor(source: string, context: ScriptContext, request: TracerRequest, steps: StepOptions) {
    const lack = (missing: keyof StepOptions) => new RerunNeeded({ ...steps, [missing]: true })
    this.#request = request
    this.#scene = new TracerBindings({ ...context, message: request.message }, steps, lack)
    this.#sandbox = ScriptSandbox.open(context.engine, {
      source,
      config: JSON.stringify(request.config),
      limits: context.limits ?? DEFAULT_SCRIPT_LIMITS,
      host: this.#scene,
      onTick: context.onTick,
    })
    this.sink = this.#openSink(steps)
  }

  finish(outcome: Executed): void {
    this.#scene.finish(outcome)
    this.#request.writer.raw(this.#sandbox.result())
  }

  close(): void {
    this.#sandbox.close()
  }

  /**
   * If the script has no `step`, the engine runs at full speed. From Amsterdam on only steps tell whether a frame without
   * gas failed during an opcode's execution (EIP-8037).
   */
  #openSink(steps: StepOptions): TraceSink {
    const scene = this.#scene
    const { revision } = this.#request.message.env
    const hasStep = this.#sandbox.has('step')
    const seesFaults = !hasStep && this.#sandbox.has('fault') && atLeast(revision, 'Amsterdam')
    const parts = hasStep ? steps : NO_PARTS
    return {
      ...(hasStep || seesFaults ? { steps: parts } : {}),
      ignoresLogs: true,
      onBegin: (live) => scene.begin(live),
      onEvent: (event) => this.#onEvent(event, hasStep || seesFaults),
      onStep: (record) => (hasStep ? this.#onStep(record) : this.#onBareFault(record)),
      onMemory: (depth, offset, bytes) => scene.write(depth, offset, bytes),
    }
  }

  #onEvent(event: TraceEvent, hasSteps: boolean): void {
    if (event.kind === 'enter') this.#onEnter(event)
    else if (event.kind === 'exit') this.#onExit(event, hasSteps)
  }

  #onEnter(event: EnterEvent): void {
    this.#scene.enter(event)
    if (event.depth > 0) this.#sandbox.enter()
  }

  #onExit(event: ExitEvent, hasSteps: boolean): void {
    if (!hasSteps && event.error !== undefined && FAULTS.test(event.error)) {
      this.#call('fault', blankStep(event.error), true)
    }
    this.#scene.exit(event)
    if (event.depth > 0) this.#sandbox.exit()
  }

  #onStep(record: StepRecord): void {
    const { error } = record
    this.#call('step', record, record.isRefused)
    if (error !== undefined && !record.isRefused) this.#call('fault', record, true)
  }

  #onBareFault({ error, isRefused }: StepRecord): void {
    if (error !== undefined && !isRefused) this.#call('fault', blankStep(error), true)
  }

  #call(handler: 'step' | 'fault', record: ScriptStep, isFailed: boolean): void {
    this.#scene.step(record)
    this.#sandbox.step(handler, record, isFailed)
    this.#scene.moment = 'elsewhere'
  }
}

/**
 * Opens a tracer in geth's JavaScript format: `source` is an object with `result` and optionally `setup`, `step`,
 * `fault`, and `enter` with `exit`. A traced run may throw `RerunNeeded`, whose `steps` also suit the block's other
 * messages.
 * @throws EXECUTION_FAILED if the script is not a tracer; LIMIT_EXCEEDED.
 */
export function openScriptTracer(
  source: string,
  context: ScriptContext,
  request: TracerRequest,
  steps: StepOptions = likelySteps(source),
): Tracer {
  return new ScriptTracer(source, context, request, steps)
}
