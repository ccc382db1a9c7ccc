import { parentPort, workerData } from 'node:worker_threads'
import { fromPlainError, toPlainError } from '../base/plain-error.ts'
import { type Engine, loadEngine } from '../engine/engine.ts'
import { EnginePool } from '../execute/engine-pool.ts'
import { JsonWriter } from '../trace/json-writer.ts'
import { runTrace, type TraceJob } from '../trace/trace-job.ts'
import { ScriptEngines } from './script-engine.ts'
import { RemoteState } from './state-port.ts'
import {
  type FromTraceThread,
  RUNS_A_THREAD,
  type ToTraceThread,
  type TraceThreadData,
  WINDOW_BYTES,
} from './trace-messages.ts'

// One thread of the pool of traces: a few engines that run jobs by turns.

/** What waits this long is sent, so that a reader sees a long trace begin. Until then an error is all. */
const FIRST_BYTES = 64 * 1024

const { modules, area } = workerData as TraceThreadData

const engines = new EnginePool<Engine>(
  () => loadEngine(modules.engine, { pairing: modules.pairing }),
  RUNS_A_THREAD,
  Number.POSITIVE_INFINITY,
  (one) => one.isUsable,
)

const scripts = new ScriptEngines()

const runs = new Map<number, RunningTrace>()

function post(message: FromTraceThread, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

/** A job with what of its output has been sent and not been taken. */
class RunningTrace {
  readonly #id: number
  readonly #controller = new AbortController()
  readonly #writer: JsonWriter
  #untaken = 0
  #wake: (() => void) | undefined

  constructor(id: number) {
    this.#id = id
    this.#writer = new JsonWriter((bytes) => {
      this.#untaken += bytes.length
      post({ kind: 'chunk', id, bytes }, [bytes.buffer])
    })
  }

  taken(bytes: number): void {
    this.#untaken -= bytes
    if (this.#untaken <= WINDOW_BYTES) this.#resume()
  }

  abort(reason: Error): void {
    this.#controller.abort(reason)
    this.#resume()
  }

  async run(job: TraceJob): Promise<void> {
    const id = this.#id
    const writer = this.#writer
    const view = new RemoteState(area, () => post(id))
    try {
      await engines.use((one) => {
        post({ kind: 'phase', id, phase: 'replay' })
        view.readAhead(addressesOf(job))
        return runTrace(job, {
          engine: one,
          view,
          writer,
          signal: this.#controller.signal,
          scripts: () => scripts.open(),
          pause: () => this.#pause(),
          onReplayed: () => post({ kind: 'phase', id, phase: 'run' }),
        })
      })
      writer.flush()
      post({ kind: 'done', id })
    } catch (thrown) {
      if (writer.hasSent) {
        writer.closeAll()
        writer.flush()
      }
      post({ kind: 'failed', id, error: toPlainError(thrown) })
    }
  }

  #pause(): Promise<void> | undefined {
    if (this.#writer.at >= FIRST_BYTES) this.#writer.flush()
    if (this.#untaken <= WINDOW_BYTES) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #resume(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}

/** Senders and recipients: what most blocks read most of. */
function* addressesOf({ plan }: TraceJob): Generator<Uint8Array> {
  for (const { transaction } of plan?.transactions ?? []) {
    yield transaction.from
    if (transaction.to !== undefined) yield transaction.to
  }
}

parentPort?.on('message', (message: ToTraceThread) => {
  switch (message.kind) {
    case 'run': {
      const run = new RunningTrace(message.id)
      runs.set(message.id, run)
      void run.run(message.job).finally(() => runs.delete(message.id))
      break
    }
    case 'taken':
      runs.get(message.id)?.taken(message.bytes)
      break
    case 'abort':
      runs.get(message.id)?.abort(fromPlainError(message.reason))
      break
  }
})
