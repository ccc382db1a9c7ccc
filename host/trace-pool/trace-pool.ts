import { LockstepError } from '../base/error.ts'
import type { EngineModules } from '../engine/engine-modules.ts'
import type { TraceAttempts } from './trace-attempts.ts'
import { callerGone, type TraceEnd, TraceRun } from './trace-run.ts'
import type { TraceOutput, TraceRequest, TraceRunner } from './trace-runner.ts'
import { TraceThread } from './trace-thread.ts'

/** Counts; never throws. */
export interface TraceObserver {
  /** Traces that wait for a thread, and that run on one. */
  onLoad(queued: number, running: number): void
  onEnd(end: TraceEnd | 'rejected'): void
  /** A transaction did not come to what its receipt says: the trace failed. */
  onDifference(error: LockstepError): void
  /** A thread ended before the pool was closed. */
  onDeath(error: LockstepError): void
}

export interface TracePoolOptions {
  readonly modules: EngineModules
  /** Threads at most; each starts when it is first needed. */
  readonly threads: number
  /** Traces in progress, those that wait among them; 0 is any number. */
  readonly maxTraces: number
  readonly observer: TraceObserver
  /** Tries short traces without a thread; each goes to one by default. */
  readonly attempts?: TraceAttempts
  /** Milliseconds that a thread has to notice that a trace is over, and a reader to take what is left. */
  readonly graceMs?: number
  /** The file that the threads run. */
  readonly script?: URL
}

const GRACE_MS = 5_000
const SCRIPT = new URL('./trace-worker.ts', import.meta.url)

/** Times that a trace is begun: one that ends its thread twice is at fault itself. */
const MAX_ATTEMPTS = 2

/**
 * Runs traces on threads of their own: the thread of the chain only answers their reads. A trace that
 * nobody reads waits, one that nobody wants any more stops, and a thread that does not stop is replaced.
 */
export class TracePool implements TraceRunner {
  readonly #options: TracePoolOptions
  readonly #threads = new Set<TraceThread>()
  /** Admitted and not over. */
  readonly #runs = new Set<TraceRun>()
  #queue: TraceRun[] = []
  /** Of the runs that were told to stop. */
  readonly #graces = new Map<TraceRun, NodeJS.Timeout>()
  #isClosed = false

  constructor(options: TracePoolOptions) {
    this.#options = options
  }

  async start(request: TraceRequest): Promise<TraceOutput> {
    if (request.signal.aborted) throw callerGone()
    this.#admit()
    const run: TraceRun = new TraceRun(request, {
      onStop: (reason) => this.#stop(run, reason),
      onFailure: (error) => {
        const isDifference = error instanceof LockstepError && error.code === 'TRACE_DIFFERS'
        if (isDifference) this.#options.observer.onDifference(error)
      },
      onEnd: (end) => {
        this.#runs.delete(run)
        clearTimeout(this.#graces.get(run))
        this.#graces.delete(run)
        this.#options.observer.onEnd(end)
        this.#report()
      },
    })
    this.#runs.add(run)
    const { attempts } = this.#options
    if (attempts?.takes(request.job) === true) void this.#attempt(run, attempts)
    else this.#enqueue(run)
    return run.started
  }

  /** Ends the threads; traces in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new LockstepError('SERVER_BUSY', 'the node is stopping')
    for (const run of this.#queue.splice(0)) run.cut(closed)
    await Promise.all(Array.from(this.#threads, (thread) => thread.kill(closed)))
    for (const run of this.#runs) {
      run.cut(closed)
      run.drop()
    }
  }

  /** Tries a trace here, and gives it to a thread where that is not enough. */
  async #attempt(run: TraceRun, attempts: TraceAttempts): Promise<void> {
    run.phase = 'run'
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
    run.phase = 'queue'
    this.#queue.push(run)
    this.#dispatch()
  }

  #admit(): void {
    const { maxTraces, observer } = this.#options
    if (this.#isClosed) throw new LockstepError('SERVER_BUSY', 'the node is stopping')
    if (maxTraces === 0 || this.#runs.size < maxTraces) return
    observer.onEnd('rejected')
    throw new LockstepError(
      'SERVER_BUSY',
      'trace request rejected due to concurrency limit: server busy',
      { data: { key: 'evm.max_concurrent_trace_calls', limit: maxTraces } },
    )
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#freeThread()
      if (thread === undefined) break
      const run = this.#queue.shift() as TraceRun
      run.attempts++
      thread.run(run)
    }
    this.#report()
  }

  /** The least busy thread; a new one while there may be more and all have something to do. */
  #freeThread(): TraceThread | undefined {
    let least: TraceThread | undefined
    for (const thread of this.#threads) {
      if (thread.hasRoom && (least === undefined || thread.load < least.load)) least = thread
    }
    if (least?.load === 0 || this.#threads.size >= this.#options.threads) return least
    return this.#openThread()
  }

  #openThread(): TraceThread {
    const { script = SCRIPT, modules } = this.#options
    const thread: TraceThread = new TraceThread({
      script,
      modules,
      onRoom: () => this.#dispatch(),
      onDeath: (runs, error) => {
        this.#threads.delete(thread)
        if (!this.#isClosed) this.#options.observer.onDeath(error)
        for (const run of runs) this.#survive(run, error)
        this.#dispatch()
      },
    })
    this.#threads.add(thread)
    return thread
  }

  /** A run whose thread died begins again, unless some of it was sent or it is over anyway. */
  #survive(run: TraceRun, error: LockstepError): void {
    const canRetry = !run.hasOutput && !run.isStopping && run.attempts < MAX_ATTEMPTS
    if (canRetry && !this.#isClosed) this.#queue.unshift(run)
    else run.cut(error)
  }

  #stop(run: TraceRun, reason: LockstepError): void {
    const waiting = this.#queue.indexOf(run)
    if (waiting >= 0) {
      this.#queue.splice(waiting, 1)
      run.cut(reason)
      return
    }
    const thread = this.#threadOf(run)
    // What is tried here ends by itself after its slice.
    if (thread === undefined) run.cut(reason)
    else thread.abort(run, reason)
    if (run.isOver) return
    const grace = setTimeout(() => {
      const thread = this.#threadOf(run)
      run.drop()
      void thread?.kill(hung())
    }, this.#options.graceMs ?? GRACE_MS)
    this.#graces.set(run, grace)
  }

  #threadOf(run: TraceRun): TraceThread | undefined {
    for (const thread of this.#threads) if (thread.has(run)) return thread
    return undefined
  }

  #report(): void {
    const queued = this.#queue.length
    let running = 0
    for (const thread of this.#threads) running += thread.load
    this.#options.observer.onLoad(queued, running)
  }
}

function hung(): LockstepError {
  return new LockstepError('ENGINE_FAULT', 'a trace thread did not stop and was replaced', {
    hint: 'ask again',
  })
}
