import { formatData, type Hex } from '../../../base/hex.ts'
import { neverAborted } from '../../../base/signal.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EnginePool } from '../../execute/engine-pool.ts'
import { RecordedState } from '../../state/recorded-state.ts'
import type { Bundle } from '../bundle/bundle.ts'
import { replayBundle } from '../bundle/bundle-replay.ts'
import { runTraceJob } from '../job/run-trace.ts'
import { ChunkedJsonWriter } from '../json-writer.ts'
import type { ScriptEngine } from '../script/sandbox.ts'
import { tracerName } from '../tracers/tracer-table.ts'

import type { Recording, Replayed, RunOptions, TraceOptions } from './recording.ts'

/** Engines for replaying recordings. */
export interface ReplayEngines {
  readonly engines: EnginePool<Engine>
  /** Opens the engine for script tracers. */
  readonly scripts: () => Promise<ScriptEngine>
}

/** A bundle with the engines that replay it. */
export class BundleRecording implements Recording {
  readonly #bundle: Bundle
  readonly #place: ReplayEngines

  constructor(bundle: Bundle, place: ReplayEngines) {
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
    const writer = new ChunkedJsonWriter((chunk) => {
      taken = following(taken, write(chunk))
    })
    try {
      await this.#place.engines.use((engine) => {
        engine.forgetCode()
        return runTraceJob(job, {
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

/** Resolves when both have. If the result is never awaited, a rejection of the reader is ignored. */
function following(
  before: Promise<void> | undefined,
  next: void | Promise<void>,
): Promise<void> | undefined {
  if (!(next instanceof Promise)) return before
  const both = Promise.all([before, next]).then(() => {})
  both.catch(() => {})
  return both
}
