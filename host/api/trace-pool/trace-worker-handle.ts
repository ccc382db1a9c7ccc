import { Worker } from 'node:worker_threads'
import { LockstepError } from '../../base/error.ts'
import { fromPlainError, toPlainError } from '../../base/plain-error.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StoragePublisher } from '../../storage/store/reader/storage-publisher.ts'
import { HeightView } from '../../storage/store/state/height-view.ts'
import { AbortFlags, newAbortFlagArea } from './abort-flags.ts'
import { prefetchedAccounts } from './prefetched-accounts.ts'
import { processorTime } from './processor-time.ts'
import { newStateArea, READS_AT_ONCE, StateAnswers } from './state-port.ts'
import type {
  FromTraceWorker,
  ToTraceWorker,
  TraceChunk,
  TraceWorkerData,
} from './trace-messages.ts'
import type { BorrowedChunk, TraceRun } from './trace-run.ts'

export interface TraceWorkerHandleOptions {
  /** The script of the worker. */
  readonly script: URL
  readonly modules: EngineModules
  /** Lets the worker read stored states itself. */
  readonly states: StoragePublisher | undefined
  /** Number of concurrent traces. */
  readonly lanes: number
  /** Lowers the priority of the worker within the process, because it runs untrusted code. */
  readonly yieldsProcessor: boolean
  /** Maximum memory of its scripts in bytes. */
  readonly scriptBytes: number
  /** Called when a run has ended on the worker, so that another can start. */
  readonly onRoom: () => void
  /** Called when the script engine of a run is ready. */
  readonly onScript: (run: TraceRun) => void
  /** Called when a run was preempted by `preempt`; it must be restarted. */
  readonly onTurnOver: (run: TraceRun) => void
  /** Called when the idle worker was ended because it used too much memory. */
  readonly onRetire: () => void
  /** Called when the worker has ended with these runs on it; `error` is the reason. */
  readonly onDeath: (runs: readonly TraceRun[], error: LockstepError) => void
}

interface RunInLane {
  readonly run: TraceRun
  /** Lane of the run: unique among the current runs of the worker. */
  readonly lane: number
  readonly gaveWay: boolean
}

/** Maximum JavaScript heap of a worker in megabytes, including strings; a tracer that retains more ends it. */
const HEAP_MB = 1024
/**
 * The young generation within it. Unlimited, it grows by 15 MB more over a gigabyte of struct logs without being
 * faster. With half of this, tracers that retain much take a third longer.
 */
const YOUNG_MB = 24
/** Enough for a script that recurses up to the limit of its own stack (evm/trace/script/limits.ts). */
const STACK_MB = 16

/** The main thread's view of a trace worker. */
export class TraceWorkerHandle {
  readonly #options: TraceWorkerHandleOptions
  readonly #worker: Worker
  readonly #answers: StateAnswers
  readonly #stops: AbortFlags
  readonly #runs = new Map<number, RunInLane>()
  #nextId = 0
  /** The operating system's thread id, once the worker has reported it. */
  #number: number | undefined
  #death: LockstepError | undefined
  #isRetired = false

  constructor(options: TraceWorkerHandleOptions) {
    this.#options = options
    const area = newStateArea()
    this.#answers = new StateAnswers(area)
    const { modules, states, lanes, yieldsProcessor, scriptBytes } = options
    this.#stops = new AbortFlags(newAbortFlagArea(lanes))
    const workerData: TraceWorkerData = {
      modules,
      area,
      lanes,
      yieldsProcessor,
      scriptBytes,
      stops: this.#stops.area,
    }
    this.#worker = new Worker(options.script, {
      workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MB,
        maxYoungGenerationSizeMb: YOUNG_MB,
        stackSizeMb: STACK_MB,
      },
    })
    this.#worker.on('message', (message: FromTraceWorker) => this.#receive(message))
    this.#worker.on('error', (cause) => {
      this.#death ??= new LockstepError('ENGINE_FAULT', `a trace worker died: ${cause.message}`, {
        cause,
        hint: 'request less: fewer transactions, or a tracer that retains less',
      })
    })
    const detach = states?.attachState((edition) => this.#send({ kind: 'state', edition }))
    this.#worker.on('exit', () => {
      detach?.()
      this.#bury()
    })
  }

  get load(): number {
    return this.#runs.size
  }

  get hasRoom(): boolean {
    return this.#death === undefined && this.#runs.size < this.#options.lanes
  }

  has(run: TraceRun): boolean {
    return this.startOf(run) !== undefined
  }

  /** Returns the number of the start of a run here, unique among all starts here; undefined if it does not run. */
  startOf(run: TraceRun): number | undefined {
    for (const [id, one] of this.#runs) if (one.run === run) return id
    return undefined
  }

  /** The traces that run here. */
  get runs(): readonly TraceRun[] {
    return Array.from(this.#runs.values(), ({ run }) => run)
  }

  /** Processor time in milliseconds; the monotonic clock if the system does not report it. */
  get processorTime(): number {
    return processorTime(this.#number)
  }

  /** Returns the number of a client's traces that run here. */
  loadOf(client: object): number {
    let load = 0
    for (const { run } of this.#runs.values()) if (run.request.client === client) load++
    return load
  }

  run(run: TraceRun): void {
    const id = this.#nextId++
    const lane = this.#freeLane()
    this.#runs.set(id, { run, lane, gaveWay: false })
    const { job, view } = run.request
    run.begin()
    const height = view instanceof HeightView ? view.height : undefined
    const isReadThere = this.#options.states !== undefined && height !== undefined
    const known = isReadThere ? [] : prefetchedAccounts(view, job, READS_AT_ONCE)
    this.#send({ kind: 'run', id, lane, job, height, known })
  }

  abort(run: TraceRun, reason: LockstepError): void {
    const id = this.startOf(run)
    if (id === undefined) return
    this.#stops.raise(this.#laneOf(id), id, 'abort')
    this.#send({ kind: 'abort', id, reason: toPlainError(reason) })
  }

  /** Preempts a run so that it can restart later, unless some of its output was sent. */
  preempt(run: TraceRun): void {
    const id = this.startOf(run)
    const inLane = id === undefined ? undefined : this.#runs.get(id)
    if (id === undefined || inLane === undefined || inLane.gaveWay) return
    this.#runs.set(id, { ...inLane, gaveWay: true })
    this.#stops.raise(inLane.lane, id, 'makeWay')
    this.#send({ kind: 'makeWay', id })
  }

  /** Terminates the worker immediately. */
  async kill(error: LockstepError): Promise<void> {
    this.#death ??= error
    await this.#worker.terminate()
  }

  #send(message: ToTraceWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  #borrow(id: number, chunk: TraceChunk): BorrowedChunk {
    const giveBack = () => this.#send({ kind: 'taken', id, chunk }, [chunk.buffer])
    return { borrowed: chunk, release: giveBack }
  }

  #laneOf(id: number): number {
    return this.#runs.get(id)?.lane ?? 0
  }

  #freeLane(): number {
    const taken = new Set(Array.from(this.#runs.values(), ({ lane }) => lane))
    let lane = 0
    while (taken.has(lane)) lane++
    return lane
  }

  #receive(message: FromTraceWorker): void {
    if (typeof message === 'number') {
      this.#answer(message)
      return
    }
    const inLane = this.#runs.get(message.id)
    if (inLane === undefined) return
    const { run } = inLane
    switch (message.kind) {
      case 'begun':
        this.#number = message.thread
        this.#options.onScript(run)
        break
      case 'replayed':
        run.phase = 'run'
        break
      case 'chunk':
        run.deliver(this.#borrow(message.id, message.chunk))
        break
      case 'done':
        run.complete(message.rest)
        this.#release(message.id, message.isSpent)
        break
      case 'failed':
        if (inLane.gaveWay && !run.hasOutput && !run.isStopping) this.#options.onTurnOver(run)
        else run.end(fromPlainError(message.error))
        this.#release(message.id, message.isSpent)
        break
    }
  }

  /** Once the worker is out of step, nothing that it has read can be trusted. */
  #answer(number: number): void {
    if (this.#death !== undefined) return
    try {
      this.#answers.answer(number, (run) => this.#runs.get(run)?.run.request.view)
    } catch (thrown) {
      void this.kill(thrown as LockstepError)
    }
  }

  #release(id: number, isSpent: boolean): void {
    this.#runs.delete(id)
    if (isSpent && this.#runs.size === 0) this.#retire()
    this.#options.onRoom()
  }

  /** Memory of WebAssembly or of a heap is freed only with its thread. */
  #retire(): void {
    if (this.#death !== undefined) return
    this.#death = new LockstepError('ENGINE_FAULT', 'a trace worker was retired')
    this.#isRetired = true
    this.#options.onRetire()
    void this.#worker.terminate()
  }

  #bury(): void {
    this.#death ??= new LockstepError('ENGINE_FAULT', 'a trace worker ended')
    const { runs } = this
    this.#runs.clear()
    if (this.#isRetired) return
    this.#options.onDeath(runs, this.#death)
  }
}
