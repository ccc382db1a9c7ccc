import { formatDuration } from '../../base/duration.ts'
import { LockstepError } from '../../base/error.ts'
import { startTimer } from '../../base/timer.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StoragePublisher } from '../../storage/store/reader/storage-publisher.ts'
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

/** A thread that has not ended a turn after as long again, and so many milliseconds at least, does not listen. */
const LISTEN_MS = 200

/** A trace whose thread did not listen begins again with a turn that is longer by this power of two. */
const TURNS_OF_DEAF = 3

/** A turn ends after so many times its length at the latest, also if its thread waits for a processor or for reads. */
const MOST_CLOCK = 8

/** From this turn on a trace leaves its thread at once to a new one if all threads have such traces. */
const LONG_TURN = 3

/** Threads for one kind of traces, and the traces that wait for them. */
export class TraceThreads {
  readonly #options: TraceThreadsOptions
  readonly #threads = new Set<TraceThread>()
  readonly #queue = new TraceQueue()
  /** The next turn is that of the client that came last. */
  #isForNewest = false
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
    if (run.phase === 'queue' && run.turns === 0) this.#makeRoom()
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
      const run = this.#options.turnMs === undefined ? this.#takeNative() : this.#takeScript()
      if (run === undefined) break
      thread.run(run)
    }
    this.#options.onLoad()
  }

  /** A client leaves one lane to others: traces of these threads do not make way. */
  #takeNative(): TraceRun | undefined {
    const { threads, lanes } = this.#options
    const most = Math.max(threads * lanes - 1, 1)
    return this.#queue.take((client) => this.#loadOf(client) < most)
  }

  /**
   * A client has one thread while others wait. By turns it is the client that waits longest and the one that came last:
   * no crowd in front of a client can make it wait for long, nor can one that comes behind it.
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

  /** Has one of several threads left to a new trace if those on all of them have had turns before. */
  #makeRoom(): void {
    const { threads, turnMs } = this.#options
    if (turnMs === undefined || threads === 1 || this.#threads.size < threads) return
    const running = [...this.#threads].flatMap((thread) => thread.runs)
    if (running.length < threads || running.some(({ turns }) => turns < LONG_TURN)) return
    const last = running.reduce((one, other) => (other.turns < one.turns ? other : one))
    this.threadOf(last)?.makeWay(last)
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

  /**
   * A turn counts from when the script engine is open, and is time of a processor: the start of a thread and a busy
   * machine are no faults of the script.
   */
  #giveTurn(run: TraceRun, thread: TraceThread): void {
    const { turnMs } = this.#options
    if (turnMs === undefined) return
    const turn = turnMs * 2 ** run.turns
    const isOn = () => thread.has(run) && !run.hasOutput
    const end = (): void => {
      if (!isOn()) return
      if (this.#queue.size === 0) {
        startTimer(end, turnMs).unref()
        return
      }
      thread.makeWay(run)
      whenUsed(thread, Math.max(turn, LISTEN_MS), isOn, () => {
        if (isOn()) this.#endDeaf(run, thread, turn)
      })
    }
    whenUsed(thread, turn, isOn, end)
  }

  #endDeaf(run: TraceRun, thread: TraceThread, turn: number): void {
    run.turns += TURNS_OF_DEAF
    void thread.kill(deaf(turn))
  }
}

/** Calls `run` once the thread has run for so long on a processor, or the clock for `MOST_CLOCK` times as long. */
function whenUsed(
  thread: TraceThread,
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
    `the script tracer had a native function run on while others waited, beyond its turn of ${limit} ([evm] trace_script_turn)`,
    {
      hint: 'let the script call fewer native functions that take long, or raise the key',
      data: { limit, key },
    },
  )
}
