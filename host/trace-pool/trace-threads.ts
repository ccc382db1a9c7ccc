import { LockstepError } from '../base/error.ts'
import { startTimer } from '../base/timer.ts'
import type { EngineModules } from '../engine/engine-modules.ts'
import type { StoragePublisher } from '../store/reader/storage-publisher.ts'
import { TraceQueue } from './trace-queue.ts'
import type { TraceRun } from './trace-run.ts'
import { TraceThread } from './trace-thread.ts'

export interface TraceThreadsOptions {
  readonly script: URL
  readonly modules: EngineModules
  readonly states: StoragePublisher | undefined
  /** Threads at most; each starts when it is first needed. */
  readonly threads: number
  /** Traces that one of them runs by turns. */
  readonly lanes: number
  readonly yieldsProcessor: boolean
  /** Bytes that all scripts of one of them may hold. */
  readonly scriptBytes: number
  /**
   * Milliseconds after which a trace makes way for one that waits, to begin again behind it with twice the
   * time; undefined: never.
   */
  readonly turnMs: number | undefined
  readonly onLoad: () => void
  /** A thread ended before it was closed. */
  readonly onDeath: (error: LockstepError) => void
}

/** Times that a trace begins when its thread dies: a trace that ends two threads is at fault itself. */
const MAX_DEATHS = 2

/** A thread that was asked this often to end a turn, once per turn's time, does not listen. */
const DEAF_TURNS = 8

/** Threads for one kind of traces, and the traces that wait for them. */
export class TraceThreads {
  readonly #options: TraceThreadsOptions
  readonly #threads = new Set<TraceThread>()
  readonly #queue = new TraceQueue()
  #closed: LockstepError | undefined

  constructor(options: TraceThreadsOptions) {
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
  }

  threadOf(run: TraceRun): TraceThread | undefined {
    for (const thread of this.#threads) if (thread.has(run)) return thread
    return undefined
  }

  /** Ends the threads. Waiting traces are cut at once, running ones as their threads end. */
  async close(error: LockstepError): Promise<void> {
    this.#closed = error
    for (const run of this.#queue.clear()) run.cut(error)
    await Promise.all(Array.from(this.#threads, (thread) => thread.kill(error)))
  }

  #dispatch(): void {
    while (this.#queue.size > 0) {
      const thread = this.#freeThread()
      if (thread === undefined) break
      const run = this.#queue.take((client) => this.#mayRun(client))
      if (run === undefined) break
      thread.run(run)
    }
    this.#options.onLoad()
  }

  /** True while a client leaves one lane to others: traces of these threads do not make way. */
  #mayRun(client: object): boolean {
    const { threads, lanes, turnMs } = this.#options
    const all = threads * lanes
    if (turnMs !== undefined || all === 1) return true
    let load = 0
    for (const thread of this.#threads) load += thread.loadOf(client)
    return load < all - 1
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
    const { script, modules, states, lanes, yieldsProcessor, scriptBytes } = this.#options
    const thread: TraceThread = new TraceThread({
      script,
      modules,
      states,
      lanes,
      yieldsProcessor,
      scriptBytes,
      onRoom: () => this.#dispatch(),
      onScript: (run) => this.#giveTurn(run, thread),
      onTurnOver: (run) => {
        run.turns++
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

  /** A run whose thread died begins again, unless some of it was sent or it is over anyway. */
  #survive(run: TraceRun, error: LockstepError): void {
    run.deaths++
    const canRetry = !run.hasOutput && !run.isStopping && run.deaths < MAX_DEATHS
    if (canRetry && this.#closed === undefined) this.add(run)
    else run.cut(error)
  }

  /** A turn counts from when the script engine is open: the start of a thread is no fault of the script. */
  #giveTurn(run: TraceRun, thread: TraceThread): void {
    const { turnMs } = this.#options
    if (turnMs === undefined) return
    let asked = 0
    const end = (): void => {
      if (!thread.has(run) || run.hasOutput) return
      if (this.#queue.size > 0) {
        thread.makeWay(run)
        asked++
      }
      if (asked > DEAF_TURNS) void thread.kill(deaf())
      else startTimer(end, turnMs).unref()
    }
    startTimer(end, turnMs * 2 ** run.turns).unref()
  }
}

function deaf(): LockstepError {
  return new LockstepError(
    'ENGINE_FAULT',
    'a script tracer did not make way, and its thread was replaced',
    {
      hint: 'let the script call fewer native functions that take long',
    },
  )
}
