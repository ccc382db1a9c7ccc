import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { LockstepError } from '../../base/error.ts'
import { fromPlainError, toPlainError } from '../../base/plain-error.ts'
import { threadNumber } from '../../base/process/thread-number.ts'
import { type Engine, loadEngine } from '../../evm/engine/engine.ts'
import { EnginePool } from '../../evm/execute/engine-pool.ts'
import type { StateView } from '../../evm/state/view.ts'
import { runTraceJob } from '../../evm/trace/job/run-trace.ts'
import type { TraceJob } from '../../evm/trace/job/trace-job.ts'
import { CHUNK_BYTES, ChunkedJsonWriter } from '../../evm/trace/json-writer.ts'
import type { ScriptEngine } from '../../evm/trace/script/sandbox.ts'
import { StateReader } from '../../storage/store/reader/state-reader.ts'
import { AbortFlags } from './abort-flags.ts'
import { ChunkPool } from './chunk-pool.ts'
import { expectedAddresses, type PrefetchedAccount } from './prefetched-accounts.ts'
import { WorkerState } from './remote-state.ts'
import { ScriptEngines } from './script-engine.ts'
import { StatePort } from './state-port.ts'
import { lowerPriority } from './thread-priority.ts'
import {
  type FromTraceWorker,
  MAX_CHUNKS,
  type ToTraceWorker,
  TRACE_WINDOW_CHUNKS,
  type TraceChunk,
  type TraceWorkerData,
} from './trace-messages.ts'

// A worker of the trace pool: a few engines that run jobs concurrently.

/**
 * Output bytes buffered before the first chunk is sent. Until then an error is the whole response; after that a
 * reader sees a long trace start.
 */
const FIRST_BYTES = 64 * 1024

/** Maximum script heap and JavaScript heap in bytes of an idle worker that is retained. */
const KEPT_SCRIPT_BYTES = 48 * 1024 * 1024
const KEPT_HEAP_BYTES = 256 * 1024 * 1024

const { modules, area, lanes, stops, yieldsProcessor, scriptBytes } = workerData as TraceWorkerData

if (yieldsProcessor) lowerPriority()

const engines = new EnginePool<Engine>(
  () => loadEngine(modules.engine, modules),
  lanes,
  Number.POSITIVE_INFINITY,
  (one) => one.isUsable,
)

const scripts = new ScriptEngines(scriptBytes)

const buffers = new ChunkPool(CHUNK_BYTES, MAX_CHUNKS)

/** The states that this worker reads itself. */
const states = new StateReader()

/** Reads other states through the main thread. */
const port = new StatePort(area, (number) => post(number))

const signs = new AbortFlags(stops)

const runs = new Map<number, RunningTrace>()

function post(message: FromTraceWorker, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

/** Returns true if this worker uses more memory than an idle one should. */
function isSpent(): boolean {
  return (
    scripts.heapBytes > KEPT_SCRIPT_BYTES || getHeapStatistics().total_heap_size > KEPT_HEAP_BYTES
  )
}

/** A job, with its output that was sent but not yet read. */
class RunningTrace {
  readonly #id: number
  readonly #lane: number
  readonly #controller = new AbortController()
  readonly #writer: ChunkedJsonWriter
  #hasBegun = false
  /** Chunks sent but not yet read. */
  #untaken = 0
  #wake: (() => void) | undefined

  constructor(id: number, lane: number) {
    this.#id = id
    this.#lane = lane
    const send = (chunk: TraceChunk) => {
      this.#untaken++
      post({ kind: 'chunk', id, chunk }, [chunk.buffer])
    }
    this.#writer = new ChunkedJsonWriter(send, CHUNK_BYTES, () => buffers.take())
  }

  /** Called when a chunk was read. */
  onTaken(): void {
    this.#untaken--
    if (this.#untaken <= TRACE_WINDOW_CHUNKS) this.#resume()
  }

  abort(reason: Error): void {
    this.#controller.abort(reason)
    this.#resume()
  }

  /** Preempts the run if it can be restarted. */
  makeWay(): void {
    if (!this.#writer.hasSent) this.abort(stopped())
  }

  /** Checks the abort flag during a script, which cannot read messages. */
  #checkSign(): void {
    const sign = signs.of(this.#lane, this.#id)
    if (sign === undefined || (sign === 'makeWay' && this.#writer.hasSent)) return
    const reason = stopped()
    this.abort(reason)
    throw reason
  }

  async run(
    job: TraceJob,
    height: number | undefined,
    known: readonly PrefetchedAccount[],
  ): Promise<void> {
    const id = this.#id
    const writer = this.#writer
    try {
      await engines.use((one) => {
        const view = this.#view(job, height, known)
        return runTraceJob(job, {
          engine: one,
          view,
          writer,
          signal: this.#controller.signal,
          scripts: () => this.#openScripts(),
          onScriptTick: () => this.#checkSign(),
          pause: () => this.#pause(),
          onReplayed: () => {
            if (job.plan !== undefined) post({ kind: 'replayed', id })
          },
        })
      })
      const rest = writer.buffer.slice(0, writer.at)
      post({ kind: 'done', id, rest, isSpent: isSpent() }, [rest.buffer])
    } catch (thrown) {
      if (writer.hasSent) {
        writer.closeAll()
        writer.flush()
      }
      post({ kind: 'failed', id, error: toPlainError(thrown), isSpent: isSpent() })
    } finally {
      buffers.release(writer.buffer)
    }
  }

  #view(job: TraceJob, height: number | undefined, known: readonly PrefetchedAccount[]): StateView {
    const remote = new WorkerState(port, this.#id, known)
    const own =
      height === undefined ? undefined : states.view(height, (number) => remote.blockHash(number))
    if (own !== undefined) return own
    remote.prefetchAccounts(expectedAddresses(job))
    return remote
  }

  async #openScripts(): Promise<ScriptEngine> {
    const engine = await scripts.open()
    if (!this.#hasBegun) post({ kind: 'begun', id: this.#id, thread: threadNumber() })
    this.#hasBegun = true
    return engine
  }

  #pause(): Promise<void> | undefined {
    if (this.#writer.at >= FIRST_BYTES) this.#writer.flush()
    if (this.#untaken <= TRACE_WINDOW_CHUNKS) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #resume(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}

function stopped(): LockstepError {
  return new LockstepError('REQUEST_TIMEOUT', 'the trace was stopped')
}

parentPort?.on('message', (message: ToTraceWorker) => {
  switch (message.kind) {
    case 'run': {
      const run = new RunningTrace(message.id, message.lane)
      runs.set(message.id, run)
      void run
        .run(message.job, message.height, message.known)
        .finally(() => runs.delete(message.id))
      break
    }
    case 'state':
      states.take(message.edition)
      break
    case 'taken':
      buffers.release(message.chunk)
      runs.get(message.id)?.onTaken()
      break
    case 'abort':
      runs.get(message.id)?.abort(fromPlainError(message.reason))
      break
    case 'makeWay':
      runs.get(message.id)?.makeWay()
      break
  }
})
