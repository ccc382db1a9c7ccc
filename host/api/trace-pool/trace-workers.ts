import { formatDuration } from '../../base/duration.ts'
import { LockstepError } from '../../base/error.ts'
import { startTimer } from '../../base/timer.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StoragePublisher } from '../../storage/store/reader/storage-publisher.ts'
import { TraceQueue } from './trace-queue.ts'
import type { TraceRun } from './trace-run.ts'
import { TraceWorkerHandle } from './trace-worker-handle.ts'

export interface TraceWorkersOptions {
  readonly script: URL
  readonly modules: EngineModules
  readonly states: StoragePublisher | undefined
  /** Maximum workers; each starts on demand. */
  readonly threads: number
  /** Concurrent traces of a worker. */
  readonly lanes: number
  readonly yieldsProcessor: boolean
  /** Maximum memory in bytes for all scripts of a worker. */
  readonly scriptBytes: number
  /**
   * Time slice in milliseconds after which a trace is preempted if another waits. It restarts behind that one with
   * twice the slice. Undefined: traces are never preempted.
   */
  readonly turnMs: number | undefined
  readonly onLoad: () => void
  /** Called if a worker ended before it was closed. */
  readonly onDeath: (error: LockstepError) => void
}

/** Maximum starts of a trace whose worker dies: a trace that ends two workers is the cause. */
const MAX_DEATHS = 2

/** Minimum milliseconds after a time slice until a worker that has not stopped counts as unresponsive. */
const LISTEN_MS = 200

/** A trace whose worker was unresponsive restarts with its time slice multiplied by this power of two. */
const TURNS_OF_DEAF = 3

/** Maximum wall-clock length of a time slice as a multiple of its processor time, in case the worker waits. */
const MOST_CLOCK = 8

/** From this number of preemptions on, a trace is preempted at once for a new one, if all workers run such traces. */
const LONG_TURN = 3

/** The workers for one kind of traces, and the queue for them. */
export class TraceWorkers {
  readonly #options: TraceWorkersOptions
  readonly #threads = new Set<TraceWorkerHandle>()
  readonly #queue = new TraceQueue()
  /** True if the next worker goes to the client that joined last. */
  #isForNewest = false
  #closed: LockstepError | undefined

  constructor(options: TraceWorkersOptions) {
    this.#options = options
  }

  get waiting(): TraceQueue {
    return this.#queue
  }

  get running(): number {
    let running = 0
    for (const thread of this.#threads) running += thread.load
    return running
  }

  add(run: TraceRun): void {
    run.wait()
    this.#queue.add(run)
    this.#dispatch()
    if (run.phase === 'queue' && run.preemptions === 0) this.#makeRoom()
  }

  threadOf(run: TraceRun): TraceWorkerHandle | undefined {
    for (const thread of this.#threads) if (thread.has(run)) return thread
    return undefined
  }

  /** Terminates the workers. Queued traces fail at once, running ones as their workers end. */
  async close(error: LockstepError): Promise<void> {
    this.#closed = error
    for (const run of this.#queue.clear()) run.cut(error)
    await Promise.all(Array.from(this.#threads, (thread) => thread.kill(error)))
  }

  #dispatch(): void {
    while (this.#queue.size > 0) {
      const thread = this.#freeThread()
      if (thread === undefined) break
      const run = this.#options.turnMs === undefined ? this.#takeNative() : this.#takeScript()
      if (run === undefined) break
      thread.run(run)
    }
    this.#options.onLoad()
  }

  /** A client must leave one lane to others, because traces of these workers are not preempted. */
  #takeNative(): TraceRun | undefined {
    const { threads, lanes } = this.#options
    const most = Math.max(threads * lanes - 1, 1)
    return this.#queue.take((client) => this.#loadOf(client) < most)
  }

  /**
   * A client has at most one worker while others wait. Alternates between the longest waiting client and the one that
   * joined last, so that a crowd neither ahead of a client nor behind it can delay it for long.
   */
  #takeScript(): TraceRun | undefined {
    const isIdle = (client: object) => this.#loadOf(client) === 0
    this.#isForNewest = !this.#isForNewest
    const newest = this.#isForNewest ? this.#queue.takeNewest(isIdle) : undefined
    return newest ?? this.#queue.take(isIdle) ?? this.#queue.take()
  }

  #loadOf(client: object): number {
    let load = 0
    for (const thread of this.#threads) load += thread.loadOf(client)
    return load
  }

  /** Preempts a trace for a new one if all workers run traces with several preemptions. */
  #makeRoom(): void {
    const { threads, turnMs } = this.#options
    if (turnMs === undefined || threads === 1 || this.#threads.size < threads) return
    const running = [...this.#threads].flatMap((thread) => thread.runs)
    if (running.length < threads || running.some(({ preemptions: turns }) => turns < LONG_TURN))
      return
    const last = running.reduce((one, other) => (other.preemptions < one.preemptions ? other : one))
    this.threadOf(last)?.preempt(last)
  }

  /** Returns the least busy worker, or a new one if all are busy and the maximum is not reached. */
  #freeThread(): TraceWorkerHandle | undefined {
    let least: TraceWorkerHandle | undefined
    for (const thread of this.#threads) {
      if (thread.hasRoom && (least === undefined || thread.load < least.load)) least = thread
    }
    if (least?.load === 0 || this.#threads.size >= this.#options.threads) return least
    return this.#openThread()
  }

  #openThread(): TraceWorkerHandle {
    const { script, modules, states, lanes, yieldsProcessor, scriptBytes } = this.#options
    const thread: TraceWorkerHandle = new TraceWorkerHandle({
      script,
      modules,
      states,
      lanes,
      yieldsProcessor,
      scriptBytes,
      onRoom: () => this.#dispatch(),
      onScript: (run) => this.#giveTurn(run, thread),
      onTurnOver: (run) => {
        run.preemptions++
        this.add(run)
      },
      onRetire: () => this.#threads.delete(thread),
      onDeath: (runs, error) => {
        this.#threads.delete(thread)
        if (this.#closed === undefined) this.#options.onDeath(error)
        for (const run of runs) this.#survive(run, error)
        this.#dispatch()
      },
    })
    this.#threads.add(thread)
    return thread
  }

  /** Restarts a run whose worker died, unless some of its output was sent or it is over. */
  #survive(run: TraceRun, error: LockstepError): void {
    run.deaths++
    const canRetry = !run.hasOutput && !run.isStopping && run.deaths < MAX_DEATHS
    if (canRetry && this.#closed === undefined) this.add(run)
    else run.cut(error)
  }

  /**
   * A time slice starts when the script engine is ready, and counts processor time, so that neither the start of a
   * worker nor a busy machine counts against the script.
   */
  #giveTurn(run: TraceRun, thread: TraceWorkerHandle): void {
    const { turnMs } = this.#options
    if (turnMs === undefined) return
    const turn = turnMs * 2 ** run.preemptions
    // A preempted run may start again on this worker, in a turn of its own.
    const start = thread.startOf(run)
    const isOn = () => thread.startOf(run) === start && !run.hasOutput
    const end = (): void => {
      if (!isOn()) return
      if (this.#queue.size === 0) {
        startTimer(end, turnMs).unref()
        return
      }
      thread.preempt(run)
      whenUsed(thread, Math.max(turn, LISTEN_MS), isOn, () => {
        if (isOn()) this.#endDeaf(run, thread, turn)
      })
    }
    whenUsed(thread, turn, isOn, end)
  }

  #endDeaf(run: TraceRun, thread: TraceWorkerHandle, turn: number): void {
    run.preemptions += TURNS_OF_DEAF
    void thread.kill(deaf(turn))
  }
}

/** Calls `run` when the worker has used that much processor time, or after `MOST_CLOCK` times as long. */
function whenUsed(
  thread: TraceWorkerHandle,
  milliseconds: number,
  isOn: () => boolean,
  run: () => void,
): void {
  const began = thread.processorTime
  const latest = performance.now() + MOST_CLOCK * milliseconds
  const look = (): void => {
    const left = milliseconds - (thread.processorTime - began)
    const rest = Math.min(left, latest - performance.now())
    if (rest < 1 || !isOn()) run()
    else startTimer(look, rest).unref()
  }
  startTimer(look, milliseconds).unref()
}

function deaf(milliseconds: number): LockstepError {
  const key = 'evm.trace_script_turn'
  const limit = formatDuration(milliseconds)
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `a native function of the script tracer ran beyond its time slice of ${limit} while others waited ([evm] trace_script_turn)`,
    {
      hint: 'call fewer long-running native functions in the script, or raise the key',
      data: { limit, key },
    },
  )
}
