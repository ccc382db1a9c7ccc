import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { Executed } from '../../engine/outcome.ts'
import type { TraceEvent, TraceSink } from '../../engine/trace-event.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import { readFlag, type Tracer, type TracerConfig, type TracerRequest } from '../tracer.ts'
import { CallTracer } from './call-tracer.ts'
import { writeStateDiff } from './parity-state-diff.ts'
import { visitTraces } from './parity-trace.ts'
import { VmTrace } from './parity-vm-trace.ts'
import { TouchedAccounts } from './touched-accounts.ts'

/** Trace types of the trace_ methods. */
export const TRACE_TYPES = ['trace', 'vmTrace', 'stateDiff'] as const
export type TraceType = (typeof TRACE_TYPES)[number]

/** Returns `traceTypes` of a configuration, all by default. @throws INVALID_ARGUMENT */
export function readTraceTypes({ traceTypes = TRACE_TYPES }: TracerConfig): ReadonlySet<TraceType> {
  const isType = (value: unknown) => TRACE_TYPES.includes(value as TraceType)
  if (Array.isArray(traceTypes) && traceTypes.every(isType)) return new Set(traceTypes)
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `traceTypes: want an array of ${TRACE_TYPES.join(', ')}`,
  )
}

/**
 * {output, stateDiff, trace, vmTrace} in the form of Parity's trace_call and trace_replayTransaction; with the flag
 * `hasHash` also the transaction's hash. `vmTrace` is written during execution and therefore comes first.
 */
class ParityTracer implements Tracer {
  readonly sink: TraceSink
  readonly #request: TracerRequest
  readonly #writer: ChunkedJsonWriter
  readonly #hasHash: boolean
  readonly #calls: CallTracer | undefined
  readonly #touched: TouchedAccounts | undefined
  readonly #steps: VmTrace | undefined
  #hasBegun = false

  constructor(request: TracerRequest) {
    const { config, limits, writer } = request
    const types = readTraceTypes(config)
    this.#request = request
    this.#writer = writer
    this.#hasHash = readFlag(config, 'hasHash')
    const { keptBytes } = limits
    if (types.has('trace')) {
      this.#calls = new CallTracer({ onlyTopCall: false, withLog: false, maxBytes: keptBytes })
    }
    if (types.has('stateDiff')) {
      this.#touched = new TouchedAccounts(keptBytes, 'raise the key, or leave out stateDiff')
    }
    const steps = types.has('vmTrace') ? new VmTrace(request) : undefined
    this.#steps = steps
    this.sink = {
      wantsState: this.#touched !== undefined || steps !== undefined,
      ignoresCalls: this.#calls === undefined && steps === undefined,
      ignoresLogs: true,
      onEvent: (event) => this.#onEvent(event),
      ...(steps !== undefined && {
        steps: { stack: true, memory: true },
        onBegin: (live) => steps.onBegin(live),
        onStep: (step) => steps.onStep(step),
        onMemory: (depth, offset, bytes) => steps.onMemory(depth, offset, bytes),
      }),
    }
  }

  finish({ output }: Executed): void {
    const writer = this.#writer
    this.#begin()
    writer.member('output', formatData(output))
    writer.name('stateDiff')
    if (this.#touched === undefined) writer.raw('null')
    else writeStateDiff(writer, this.#touched)
    this.#writeTrace()
    if (this.#steps === undefined) writer.member('vmTrace', null)
    const { position } = this.#request.message
    if (this.#hasHash && position !== undefined) {
      writer.member('transactionHash', formatData(position.transactionHash))
    }
    writer.end()
  }

  #onEvent(event: TraceEvent): void {
    if (event.kind === 'enter') this.#begin()
    this.#calls?.onEvent(event)
    this.#touched?.onEvent(event)
    this.#steps?.onEvent(event)
  }

  /** The result starts with the first event, as the protocol may reject the transaction before. */
  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#writer.beginObject()
    if (this.#steps !== undefined) this.#writer.name('vmTrace')
  }

  #writeTrace(): void {
    const writer = this.#writer
    writer.name('trace')
    writer.beginArray()
    if (this.#calls !== undefined) {
      const { revision } = this.#request.message.env
      visitTraces(this.#calls.finishFrame(), revision, (trace) => writer.value(trace))
    }
    writer.end()
  }
}

export function parityTracer(request: TracerRequest): Tracer {
  return new ParityTracer(request)
}
