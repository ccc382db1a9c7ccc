import { Worker } from 'node:worker_threads'
import { LockstepError } from '../base/error.ts'
import { fromPlainError, toPlainError } from '../base/plain-error.ts'
import type { EngineModules } from '../engine/engine-modules.ts'
import { readAhead } from './state-ahead.ts'
import { newStateArea, READS_AT_ONCE, StateAnswers } from './state-port.ts'
import {
  type FromTraceThread,
  RUNS_A_THREAD,
  type ToTraceThread,
  type TraceChunk,
  type TraceThreadData,
} from './trace-messages.ts'
import type { LentChunk, TraceRun } from './trace-run.ts'

export interface TraceThreadOptions {
  /** The file that the thread runs. */
  readonly script: URL
  readonly modules: EngineModules
  /** A run has ended on the thread: there is room for another. */
  readonly onRoom: () => void
  /** The thread has ended with these runs on it; `error` says why. */
  readonly onDeath: (runs: readonly TraceRun[], error: LockstepError) => void
}

/** Megabytes of JavaScript objects, strings among them, in one thread: a tracer that keeps more ends it. */
const HEAP_MB = 1024
/**
 * Of them, what was made last. Left to itself this part grows by 15 MB more over a gigabyte of struct logs,
 * which go out no faster; with half of this, tracers that keep much take a third longer.
 */
const YOUNG_MB = 24
/** Depth for a script that recurses up to the limit of its own stack (trace/script/limits.ts). */
const STACK_MB = 16

/** A thread that runs traces, as the main thread sees it. */
export class TraceThread {
  readonly #options: TraceThreadOptions
  readonly #worker: Worker
  readonly #answers: StateAnswers
  readonly #runs = new Map<number, TraceRun>()
  #nextId = 0
  #death: LockstepError | undefined

  constructor(options: TraceThreadOptions) {
    this.#options = options
    const area = newStateArea()
    this.#answers = new StateAnswers(area)
    const workerData: TraceThreadData = { modules: options.modules, area }
    this.#worker = new Worker(options.script, {
      workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MB,
        maxYoungGenerationSizeMb: YOUNG_MB,
        stackSizeMb: STACK_MB,
      },
    })
    this.#worker.on('message', (message: FromTraceThread) => this.#receive(message))
    this.#worker.on('error', (cause) => {
      this.#death ??= new LockstepError('ENGINE_FAULT', `a trace thread died: ${cause.message}`, {
        cause,
        hint: 'ask for less: fewer transactions, a tracer that keeps less',
      })
    })
    this.#worker.on('exit', () => this.#bury())
  }

  get load(): number {
    return this.#runs.size
  }

  get hasRoom(): boolean {
    return this.#death === undefined && this.#runs.size < RUNS_A_THREAD
  }

  has(run: TraceRun): boolean {
    return this.#idOf(run) !== undefined
  }

  run(run: TraceRun): void {
    const id = this.#nextId++
    this.#runs.set(id, run)
    const { job, view } = run.request
    run.phase = job.plan === undefined ? 'run' : 'replay'
    this.#send({ kind: 'run', id, job, known: readAhead(view, job, READS_AT_ONCE) })
  }

  abort(run: TraceRun, reason: LockstepError): void {
    const id = this.#idOf(run)
    if (id !== undefined) this.#send({ kind: 'abort', id, reason: toPlainError(reason) })
  }

  /** Ends the thread wherever it is. */
  async kill(error: LockstepError): Promise<void> {
    this.#death ??= error
    await this.#worker.terminate()
  }

  #send(message: ToTraceThread, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  #lend(id: number, chunk: TraceChunk): LentChunk {
    const giveBack = () => this.#send({ kind: 'taken', id, chunk }, [chunk.buffer])
    return { lent: chunk, giveBack }
  }

  #idOf(run: TraceRun): number | undefined {
    for (const [id, candidate] of this.#runs) if (candidate === run) return id
    return undefined
  }

  #receive(message: FromTraceThread): void {
    if (typeof message === 'number') {
      this.#answer(message)
      return
    }
    const run = this.#runs.get(message.id)
    if (run === undefined) return
    switch (message.kind) {
      case 'replayed':
        run.phase = 'run'
        break
      case 'chunk':
        run.deliver(this.#lend(message.id, message.chunk))
        break
      case 'done':
        this.#release(message.id)
        run.complete(message.rest)
        break
      case 'failed':
        this.#release(message.id)
        run.end(fromPlainError(message.error))
        break
    }
  }

  /** Once it is out of step, nothing that the thread has read is to be trusted. */
  #answer(number: number): void {
    if (this.#death !== undefined) return
    try {
      this.#answers.answer(number, (run) => this.#runs.get(run)?.request.view)
    } catch (thrown) {
      void this.kill(thrown as LockstepError)
    }
  }

  #release(id: number): void {
    this.#runs.delete(id)
    this.#options.onRoom()
  }

  #bury(): void {
    this.#death ??= new LockstepError('ENGINE_FAULT', 'a trace thread ended')
    const runs = [...this.#runs.values()]
    this.#runs.clear()
    this.#options.onDeath(runs, this.#death)
  }
}
