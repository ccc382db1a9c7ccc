import { LockstepError } from '../../base/error.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import { isScript } from '../../evm/trace/tracers/tracer-table.ts'
import type { StoragePublisher } from '../../storage/store/reader/storage-publisher.ts'
import type { TraceAttempts } from './trace-attempts.ts'
import { callerGone, type TraceEnd, TraceRun } from './trace-run.ts'
import type { TraceOutput, TraceRequest, TraceRunner } from './trace-runner.ts'
import { TraceThreads } from './trace-threads.ts'

/** Counts traces; never throws. */
export interface TraceObserver {
  /** Traces that wait for a thread, and that run on one. */
  onLoad(queued: number, running: number): void
  onEnd(end: TraceEnd | 'rejected'): void
  /** A transaction differed from its receipt: the trace failed. */
  onDifference(error: LockstepError): void
  /** A thread ended before the pool was closed. */
  onDeath(error: LockstepError): void
}

export interface TracePoolOptions {
  readonly modules: EngineModules
  /** Has the threads read stored states by themselves; undefined: the thread of the chain answers their reads. */
  readonly states?: StoragePublisher | undefined
  /** Threads for tracers of the table at most, each of which runs four traces; it starts when first needed. */
  readonly threads: number
  /** Threads for scripts at most, each of which runs one. */
  readonly scriptThreads: number
  /** Bytes that the scripts of one thread may hold. */
  readonly scriptBytes: number
  /** Traces of one client in progress, those that wait among them; 0 is any number. */
  readonly maxTraces: number
  readonly observer: TraceObserver
  /** Tries short traces without a thread; each goes to one by default. */
  readonly attempts?: TraceAttempts
  /** Milliseconds after which a script makes way for another that waits. */
  readonly turnMs: number
  /** Milliseconds that a thread has to notice that a trace is over, and a reader to take what is left. */
  readonly graceMs?: number
  /** The same of a thread for scripts: it has one trace, and most scripts notice within milliseconds. */
  readonly scriptGraceMs?: number
  /** The file that the threads run. */
  readonly script?: URL
}

const GRACE_MS = 5_000
const SCRIPT_GRACE_MS = 500
const SCRIPT = new URL('./trace-worker.ts', import.meta.url)

/** Traces of the table's tracers that a thread runs by turns: each has an engine with memory of its own. */
const LANES = 4

/** All clients together may have this many times the traces in progress that one client may have. */
const FULL_CLIENTS = 32

/**
 * Runs traces on threads of their own: the thread of the chain only answers their reads. A trace that
 * nobody reads waits, one that nobody wants any more stops, and a thread that does not stop is replaced.
 * Scripts have threads apart: no other trace waits for a thread that a script blocks.
 */
export class TracePool implements TraceRunner {
  readonly #options: TracePoolOptions
  readonly #natives: TraceThreads
  readonly #scripts: TraceThreads
  /** Traces that are admitted and not over. */
  readonly #runs = new Set<TraceRun>()
  readonly #clients = new Map<object, number>()
  /** Timers of the runs that were told to stop. */
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
    this.#natives = new TraceThreads({
      ...common,
      threads,
      lanes: LANES,
      yieldsProcessor: false,
      turnMs: undefined,
    })
    this.#scripts = new TraceThreads({
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

  /** Ends the threads; traces in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new LockstepError('SERVER_BUSY', 'the node is stopping')
    await Promise.all([this.#natives.close(closed), this.#scripts.close(closed)])
    for (const run of this.#runs) {
      run.cut(closed)
      run.drop()
    }
  }

  /** Tries a trace on this thread, and gives it to another where the attempt is given up. */
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

  #threadsFor({ request: { job } }: TraceRun): TraceThreads {
    return isScript(job.tracer) ? this.#scripts : this.#natives
  }

  /** A client with more traces in progress gives way to others: its newest waiting trace is refused. */
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

  /** The newest waiting trace of the client with most traces, if those are more than `own`. */
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
    // An attempt on this thread ends by itself after its slice.
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

  /** A reader of output that was sent has the longer one. */
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
  return new LockstepError('ENGINE_FAULT', 'a trace thread did not stop and was replaced', {
    hint: 'ask again',
  })
}
