import { parentPort, workerData } from 'node:worker_threads'
import { fromPlainError, toPlainError } from '../base/plain-error.ts'
import { type Engine, loadEngine } from '../engine/engine.ts'
import { EnginePool } from '../execute/engine-pool.ts'
import { CHUNK_BYTES, JsonWriter } from '../trace/json-writer.ts'
import { runTrace, type TraceJob } from '../trace/trace-job.ts'
import { ChunkPool } from './chunk-pool.ts'
import { RemoteState } from './remote-state.ts'
import { ScriptEngines } from './script-engine.ts'
import { addressesOf, type KnownAccount } from './state-ahead.ts'
import { StatePort } from './state-port.ts'
import {
  type FromTraceThread,
  MAX_CHUNKS,
  RUNS_A_THREAD,
  type ToTraceThread,
  type TraceChunk,
  type TraceThreadData,
  WINDOW_CHUNKS,
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

const buffers = new ChunkPool(CHUNK_BYTES, MAX_CHUNKS)

const port = new StatePort(area, (number) => post(number))

const runs = new Map<number, RunningTrace>()

function post(message: FromTraceThread, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

/** A job with what of its output has been sent and not been taken. */
class RunningTrace {
  readonly #id: number
  readonly #controller = new AbortController()
  readonly #writer: JsonWriter
  /** Chunks. */
  #untaken = 0
  #wake: (() => void) | undefined

  constructor(id: number) {
    this.#id = id
    const send = (chunk: TraceChunk) => {
      this.#untaken++
      post({ kind: 'chunk', id, chunk }, [chunk.buffer])
    }
    this.#writer = new JsonWriter(send, CHUNK_BYTES, () => buffers.take())
  }

  /** A chunk was read. */
  onTaken(): void {
    this.#untaken--
    if (this.#untaken <= WINDOW_CHUNKS) this.#resume()
  }

  abort(reason: Error): void {
    this.#controller.abort(reason)
    this.#resume()
  }

  async run(job: TraceJob, known: readonly KnownAccount[]): Promise<void> {
    const id = this.#id
    const writer = this.#writer
    const view = new RemoteState(port, id, known)
    try {
      await engines.use((one) => {
        view.readAhead(addressesOf(job))
        return runTrace(job, {
          engine: one,
          view,
          writer,
          signal: this.#controller.signal,
          scripts: () => scripts.open(),
          pause: () => this.#pause(),
          onReplayed: () => {
            if (job.plan !== undefined) post({ kind: 'replayed', id })
          },
        })
      })
      const rest = writer.buffer.slice(0, writer.at)
      post({ kind: 'done', id, rest }, [rest.buffer])
    } catch (thrown) {
      if (writer.hasSent) {
        writer.closeAll()
        writer.flush()
      }
      post({ kind: 'failed', id, error: toPlainError(thrown) })
    } finally {
      buffers.giveBack(writer.buffer)
    }
  }

  #pause(): Promise<void> | undefined {
    if (this.#writer.at >= FIRST_BYTES) this.#writer.flush()
    if (this.#untaken <= WINDOW_CHUNKS) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #resume(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}

parentPort?.on('message', (message: ToTraceThread) => {
  switch (message.kind) {
    case 'run': {
      const run = new RunningTrace(message.id)
      runs.set(message.id, run)
      void run.run(message.job, message.known).finally(() => runs.delete(message.id))
      break
    }
    case 'taken':
      buffers.giveBack(message.chunk)
      runs.get(message.id)?.onTaken()
      break
    case 'abort':
      runs.get(message.id)?.abort(fromPlainError(message.reason))
      break
  }
})
