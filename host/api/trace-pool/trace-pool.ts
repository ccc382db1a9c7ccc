import { LockstepError } from '../../base/error.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import { isScript } from '../../evm/trace/tracers/tracer-table.ts'
import type { StoragePublisher } from '../../storage/store/reader/storage-publisher.ts'
import type { TraceAttempts } from './trace-attempts.ts'
import { callerGone, type TraceEnd, TraceRun } from './trace-run.ts'
import type { TraceOutput, TraceRequest, TraceRunner } from './trace-runner.ts'
import { TraceWorkers } from './trace-workers.ts'

/** Receives trace metrics; must not throw. */
export interface TraceObserver {
  /** Called with the number of queued and of running traces. */
  onLoad(queued: number, running: number): void
  onEnd(end: TraceEnd | 'rejected'): void
  /** Called if a replayed transaction differs from its receipt; the trace has failed. */
  onDifference(error: LockstepError): void
  /** Called if a worker ended before the pool was closed. */
  onDeath(error: LockstepError): void
}

export interface TracePoolOptions {
  readonly modules: EngineModules
  /** Lets workers read stored states themselves; if undefined, the main thread answers their reads. */
  readonly states?: StoragePublisher | undefined
  /** Maximum workers for built-in tracers, each of which runs four traces; they start on demand. */
  readonly threads: number
  /** Maximum workers for scripts, each of which runs one. */
  readonly scriptThreads: number
  /** Maximum memory in bytes for the scripts of one worker. */
  readonly scriptBytes: number
  /** Maximum traces of one client, queued or running; 0 is unlimited. */
  readonly maxTraces: number
  readonly observer: TraceObserver
  /** Attempts short traces on this thread; if undefined, every trace goes to a worker. */
  readonly attempts?: TraceAttempts
  /** Time slice of a script in milliseconds, if others wait. */
  readonly turnMs: number
  /** Milliseconds for a worker to stop a trace that has ended, and for the reader to consume the rest. */
  readonly graceMs?: number
  /** The same for a worker of scripts: it has one trace, and most scripts stop within milliseconds. */
  readonly scriptGraceMs?: number
  /** The script of the workers. */
  readonly script?: URL
}

const GRACE_MS = 5_000
const SCRIPT_GRACE_MS = 500
const SCRIPT = new URL('./trace-worker.ts', import.meta.url)

/** Concurrent traces of a worker for built-in tracers: each has an engine and memory of its own. */
const LANES = 4

/** Maximum traces of all clients together, as a multiple of the maximum of one client. */
const FULL_CLIENTS = 32

/**
 * Runs traces on worker threads; the main thread only answers their reads. A trace pauses while its output is not
 * read, and stops when it is no longer wanted. A worker that does not stop is replaced. Scripts have separate
 * workers, so that a script that blocks its worker delays no other trace.
 */
export class TracePool implements TraceRunner {
  readonly #options: TracePoolOptions
  readonly #natives: TraceWorkers
  readonly #scripts: TraceWorkers
  /** Admitted traces that are not over. */
  readonly #runs = new Set<TraceRun>()
  readonly #clients = new Map<object, number>()
  /** Grace timers of the runs that are stopping. */
  readonly #graces = new Map<TraceRun, Timer>()
  #isClosed = false

  constructor(options: TracePoolOptions) {
    const { script = SCRIPT, modules, threads, turnMs, observer } = options
    const { scriptThreads, scriptBytes, states } = options
    const common = {
      script,
      modules,
      states,
      scriptBytes,
      onLoad: () => this.#report(),
      onDeath: (error: LockstepError) => observer.onDeath(error),
    }
    this.#options = options
    this.#natives = new TraceWorkers({
      ...common,
      threads,
      lanes: LANES,
      yieldsProcessor: false,
      turnMs: undefined,
    })
    this.#scripts = new TraceWorkers({
      ...common,
      threads: scriptThreads,
      lanes: 1,
      yieldsProcessor: true,
      turnMs,
    })
  }

  async start(request: TraceRequest): Promise<TraceOutput> {
    if (request.signal.aborted) throw callerGone()
    this.#admit(request.client)
    const run: TraceRun = new TraceRun(request, {
      onStop: (reason) => this.#stop(run, reason),
      onFailure: (error) => {
        const isDifference = error instanceof LockstepError && error.code === 'TRACE_DIFFERS'
        if (isDifference) this.#options.observer.onDifference(error)
      },
      onEnd: (end) => {
        this.#forget(run)
        stopTimer(this.#graces.get(run))
        this.#graces.delete(run)
        this.#options.observer.onEnd(end)
        this.#report()
      },
    })
    this.#runs.add(run)
    this.#clients.set(request.client, (this.#clients.get(request.client) ?? 0) + 1)
    const { attempts } = this.#options
    if (attempts?.takes(request.job) === true) void this.#attempt(run, attempts)
    else this.#enqueue(run)
    return run.started
  }

  /** Terminates the workers; traces in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new LockstepError('SERVER_BUSY', 'the node is stopping')
    await Promise.all([this.#natives.close(closed), this.#scripts.close(closed)])
    for (const run of this.#runs) {
      run.cut(closed)
      run.drop()
    }
  }

  /** Attempts a trace on this thread, and passes it to a worker if the attempt is abandoned. */
  async #attempt(run: TraceRun, attempts: TraceAttempts): Promise<void> {
    run.begin()
    try {
      const result = await attempts.run(run.request, () => !run.isOver)
      if (run.isOver) return
      if (result === undefined) this.#enqueue(run)
      else run.complete(result)
    } catch (thrown) {
      run.end(thrown as Error)
    }
  }

  #enqueue(run: TraceRun): void {
    this.#threadsFor(run).add(run)
  }

  #threadsFor({ request: { job } }: TraceRun): TraceWorkers {
    return isScript(job.tracer) ? this.#scripts : this.#natives
  }

  /** If the pool is full, rejects the latest queued trace of a client that has more traces than this one. */
  #admit(client: object): void {
    const { maxTraces } = this.#options
    if (this.#isClosed) throw new LockstepError('SERVER_BUSY', 'the node is stopping')
    if (maxTraces === 0) return
    const own = this.#clients.get(client) ?? 0
    if (own >= maxTraces) throw this.#reject()
    if (this.#runs.size < maxTraces * FULL_CLIENTS) return
    const yielding = this.#newestOfBusiest(own)
    if (yielding === undefined) throw this.#reject()
    this.#threadsFor(yielding).waiting.remove(yielding)
    yielding.cut(this.#reject())
  }

  #reject(): LockstepError {
    const { maxTraces, observer } = this.#options
    observer.onEnd('rejected')
    return new LockstepError(
      'SERVER_BUSY',
      'trace request rejected due to concurrency limit: server busy',
      { data: { key: 'evm.max_concurrent_trace_calls', limit: maxTraces } },
    )
  }

  /** Returns the latest queued trace of the client with most traces, if it has more than `own`. */
  #newestOfBusiest(own: number): TraceRun | undefined {
    const byLoad = [...this.#clients].sort(([, one], [, other]) => other - one)
    for (const [client, load] of byLoad) {
      if (load <= own) return undefined
      const newest = this.#scripts.waiting.newest(client) ?? this.#natives.waiting.newest(client)
      if (newest !== undefined) return newest
    }
    return undefined
  }

  #forget(run: TraceRun): void {
    const { client } = run.request
    const left = (this.#clients.get(client) ?? 1) - 1
    if (left === 0) this.#clients.delete(client)
    else this.#clients.set(client, left)
    this.#runs.delete(run)
  }

  #stop(run: TraceRun, reason: LockstepError): void {
    if (this.#threadsFor(run).waiting.remove(run)) {
      run.cut(reason)
      this.#report()
      return
    }
    const thread = this.#threadsFor(run).threadOf(run)
    // An attempt on this thread stops by itself after its slice.
    if (thread === undefined) run.cut(reason)
    else thread.abort(run, reason)
    if (run.isOver) return
    const grace = startTimer(() => {
      const thread = this.#threadsFor(run).threadOf(run)
      run.drop()
      void thread?.kill(hung())
    }, this.#graceOf(run))
    this.#graces.set(run, grace)
  }

  /** If output has been sent, the reader needs the longer grace period. */
  #graceOf(run: TraceRun): number {
    const { graceMs = GRACE_MS, scriptGraceMs = SCRIPT_GRACE_MS } = this.#options
    const isDeafScript = isScript(run.request.job.tracer) && !run.hasOutput
    return isDeafScript ? Math.min(scriptGraceMs, graceMs) : graceMs
  }

  #report(): void {
    const queued = this.#natives.waiting.size + this.#scripts.waiting.size
    this.#options.observer.onLoad(queued, this.#natives.running + this.#scripts.running)
  }
}

function hung(): LockstepError {
  return new LockstepError('ENGINE_FAULT', 'a trace worker did not stop and was replaced', {
    hint: 'ask again',
  })
}
