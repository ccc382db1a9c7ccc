import { formatData, type Hex } from '../../base/hex.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EnginePool } from '../../execute/engine-pool.ts'
import { RecordedState } from '../../state/recorded-state.ts'
import type { Bundle } from '../bundle/bundle.ts'
import { replayBundle } from '../bundle/bundle-replay.ts'
import type { FirstDifference } from '../bundle/difference.ts'
import { runTrace } from '../job/run-trace.ts'
import { JsonWriter } from '../json-writer.ts'
import type { ScriptEngine } from '../script/sandbox.ts'
import { tracerName } from '../tracers/tracer-table.ts'

/** What a run can be ended with. */
export interface RunOptions {
  /** Ends the run within about a millisecond of work: it throws REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal
}

/** How a recording is traced: the options of debug_traceTransaction. */
export interface TraceOptions extends RunOptions {
  /** Name of a tracer, or the source of one in JavaScript; `opcodeTracer` by default. */
  readonly tracer?: string
  /** Options of that tracer. */
  readonly tracerConfig?: Readonly<Record<string, unknown>>
}

/** What came of running a recording again. */
export interface Replayed {
  /** Of each transaction that ran as recorded, in order: a digest for each of its steps. */
  readonly digests: readonly Uint32Array[]
  /** The first thing that is not as recorded; `describeDifference` puts it into words. */
  readonly difference?: FirstDifference
}

/** One transaction or one block with all that running it again takes: a bundle that has been read. */
export interface Recording {
  /** SHA-256 of the engine.wasm that recorded it: 64 hex digits. */
  readonly engineHash: string
  readonly scope: 'transaction' | 'block'
  /** Number of the block. */
  readonly height: number
  /** Hashes of the transactions, in order. */
  readonly transactions: readonly Hex[]
  /** False where a bundle has receipts alone: one that a node gave and `lockstep record` has not completed. */
  readonly hasSteps: boolean
  /**
   * Runs it and compares receipts to the byte, and steps where they were recorded, up to the first difference.
   * @throws LockstepError ENGINE_FAULT
   */
  replay(options?: RunOptions): Promise<Replayed>
  /**
   * What a tracer gives of it: the result of debug_traceTransaction, or for a block of
   * debug_traceBlockByNumber, parsed.
   * @throws LockstepError UNSUPPORTED, INVALID_ARGUMENT, TRACE_DIFFERS, NOT_FOUND, ENGINE_FAULT
   */
  trace(options?: TraceOptions): Promise<unknown>
  /**
   * The same as JSON text in UTF-8, in chunks as they come: of a trace of any length. The run waits for what
   * `write` returns. After an error the text is not whole.
   */
  writeTrace(
    options: TraceOptions,
    write: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
  ): Promise<void>
}

/** Where recordings run. */
export interface ReplayPlace {
  readonly engines: EnginePool<Engine>
  /** Opens the engine of script tracers. */
  readonly scripts: () => Promise<ScriptEngine>
}

/** A bundle with the place that it runs in. */
export class BundleRecording implements Recording {
  readonly #bundle: Bundle
  readonly #place: ReplayPlace

  constructor(bundle: Bundle, place: ReplayPlace) {
    this.#bundle = bundle
    this.#place = place
  }

  get engineHash(): string {
    return this.#bundle.engineHash
  }

  get scope(): 'transaction' | 'block' {
    return this.#bundle.scope
  }

  get height(): number {
    return this.#bundle.plan.height
  }

  get transactions(): Hex[] {
    return this.#bundle.plan.transactions.map(({ transaction }) => formatData(transaction.hash))
  }

  get hasSteps(): boolean {
    return this.#bundle.outcomes.every(({ digests }) => digests !== undefined)
  }

  replay({ signal = neverAborted() }: RunOptions = {}): Promise<Replayed> {
    return this.#place.engines.use((engine) => replayBundle(this.#bundle, { engine, signal }))
  }

  async trace(options: TraceOptions = {}): Promise<unknown> {
    const decoder = new TextDecoder()
    const parts: string[] = []
    await this.writeTrace(options, (chunk) => {
      parts.push(decoder.decode(chunk, { stream: true }))
    })
    return JSON.parse(parts.join(''))
  }

  async writeTrace(
    { tracer, tracerConfig = {}, signal = neverAborted() }: TraceOptions,
    write: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
  ): Promise<void> {
    const { scope, plan, reads } = this.#bundle
    const job = {
      target: { kind: scope },
      plan,
      tracer: tracerName(tracer),
      config: tracerConfig,
      limits: { structLogBytes: Number.POSITIVE_INFINITY },
    }
    let taken: Promise<void> | undefined
    const writer = new JsonWriter((chunk) => {
      taken = following(taken, write(chunk))
    })
    try {
      await this.#place.engines.use((engine) => {
        engine.forgetCode()
        return runTrace(job, {
          engine,
          view: new RecordedState(reads),
          writer,
          signal,
          scripts: () => this.#place.scripts(),
          pause: () => taken,
          onReplayed: () => {},
        })
      })
    } finally {
      writer.flush()
    }
    await taken
  }
}

function neverAborted(): AbortSignal {
  return new AbortController().signal
}

/** When both are over. It may be that nobody awaits it any more: then a failure of the reader is not told. */
function following(
  before: Promise<void> | undefined,
  next: void | Promise<void>,
): Promise<void> | undefined {
  if (!(next instanceof Promise)) return before
  const both = Promise.all([before, next]).then(() => {})
  both.catch(() => {})
  return both
}
