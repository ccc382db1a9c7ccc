import { Worker } from 'node:worker_threads'
import { LockstepError } from '../../../base/error.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { EngineModules } from '../../../evm/engine/engine-modules.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import { boardWords, JobBoard } from '../../../evm/execute/lockstep/job-board.ts'
import {
  BlockJobs,
  planJobs,
  type ReadWriteSetSource,
  type SpeculativeResults,
} from '../../../evm/execute/lockstep/speculative-results.ts'
import type { StoragePublisher } from '../../../storage/store/reader/storage-publisher.ts'
import type { Phases } from '../phases.ts'
import { ConflictBackoff } from './conflict-backoff.ts'
import { newReadWriteSetArea, ReadWriteSetArea } from './read-write-set-area.ts'
import {
  packJobTransactions,
  type SpeculationBlock,
  type SpeculationWorkerData,
  type ToSpeculationWorker,
} from './speculation-messages.ts'
import { SpeculationTimer } from './speculation-timer.ts'
import { TransactionTimes } from './transaction-times.ts'
import { WorkloadMonitor } from './workload-monitor.ts'

/** Crashes after which threads are no longer replaced: each replacement costs an engine. */
const MOST_DEATHS = 8

export interface SpeculationPoolOptions {
  /** Number of threads besides the main thread. */
  readonly count: number
  readonly modules: EngineModules
  /** Sends state deltas to the threads, from which they read the state before a block. */
  readonly states: Pick<StoragePublisher, 'attachState'>
  readonly phases: Pick<Phases, 'adopted' | 'repeated'>
  /** Called if a thread died. It is replaced unless too many have died. Blocks stay complete without it. */
  readonly onError: (error: LockstepError) => void
  readonly script?: URL
}

interface AheadThread {
  readonly worker: Worker
  readonly footprints: ReadWriteSetArea
}

/** Speculative execution of the block that the main thread executes. */
export interface SpeculatedBlock extends SpeculativeResults {
  /** Must be called when the block has ended, complete or not. */
  end(): void
}

/** A block that was given to the threads. */
interface HandedBlock {
  readonly jobs: BlockJobs
  readonly board: JobBoard
}

/**
 * Threads that execute a block's transactions speculatively, each in its own engine. The main thread waits for none
 * of them: it executes a transaction itself if no result is ready or if the result read stale values.
 */
export class SpeculationPool {
  readonly #options: SpeculationPoolOptions
  readonly #threads: (AheadThread | undefined)[]
  readonly #times = new TransactionTimes()
  readonly #work = new WorkloadMonitor()
  readonly #conflicts = new ConflictBackoff()
  #deaths = 0
  #number = 0
  #isClosed = false

  constructor(options: SpeculationPoolOptions) {
    this.#options = options
    this.#threads = Array.from({ length: options.count }, (_, i) => this.#start(i))
  }

  /**
   * Begins a block on the latest state. Gives its jobs to the threads if that is worth it. Only then it calls
   * `expected` for the transactions that the block will probably contain, in their probable order.
   */
  begin(env: BlockEnv, expected: () => Iterable<Transaction>): SpeculatedBlock {
    const isWorth = this.#work.isWorth && this.#conflicts.admit()
    const handed = isWorth ? this.#handOver(env, expected()) : undefined
    const turns = new SpeculationTimer(this.#times, handed?.jobs)
    return {
      take: (transaction) => turns.take(transaction),
      report: (isAdopted) => turns.report(isAdopted),
      ran: (transaction) => turns.ran(transaction),
      end: () => {
        this.#work.note(turns.heavyMs)
        if (handed !== undefined) this.#end(handed)
      },
    }
  }

  /** Gives a block's jobs to the threads. Returns undefined if there are fewer than two. */
  #handOver(env: BlockEnv, expected: Iterable<Transaction>): HandedBlock | undefined {
    const { jobs, plan } = planJobs(expected, this.#threads.length, (one) =>
      this.#times.expected(one),
    )
    if (jobs.length < 2) return undefined
    const number = this.#number++
    const words = new SharedArrayBuffer(4 * boardWords(jobs.length, plan.positions.length))
    const board = new JobBoard(new Int32Array(words), jobs.length)
    const transactions = packJobTransactions(jobs)
    const block: SpeculationBlock = { number, env, plan, board: words, transactions }
    // Copy: the results of a thread that dies and is replaced stay readable.
    const threads = [...this.#threads]
    for (const thread of threads) if (thread !== undefined) send(thread, { kind: 'block', block })
    const source: ReadWriteSetSource = (runner, place, index) => {
      const thread = threads[runner - 1]
      try {
        return thread?.footprints.at(place, number, index)
      } catch (error) {
        this.#die(runner - 1, thread, (error as LockstepError).message, error)
        return undefined
      }
    }
    return { jobs: new BlockJobs(jobs, board, source), board }
  }

  #end({ jobs: { taken, applied: adopted }, board }: HandedBlock): void {
    board.stop()
    this.#conflicts.record(taken, adopted)
    this.#options.phases.adopted += adopted
    this.#options.phases.repeated += taken - adopted
  }

  /** Terminates the threads. Must not be called while a block executes. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#threads.map((thread) => thread?.worker.terminate()))
  }

  #start(at: number): AheadThread {
    const {
      modules,
      states,
      script = new URL('./speculation-worker.ts', import.meta.url),
    } = this.#options
    const footprints = newReadWriteSetArea()
    const workerData: SpeculationWorkerData = { runner: at + 1, modules, footprints }
    const thread: AheadThread = {
      worker: new Worker(script, { workerData }),
      footprints: new ReadWriteSetArea(footprints),
    }
    const detach = states.attachState((edition) => send(thread, { kind: 'state', edition }))
    thread.worker.on('error', (cause) => this.#die(at, thread, cause.message, cause))
    thread.worker.on('exit', (code) => {
      detach()
      this.#die(at, thread, `it ended with code ${code}`)
    })
    return thread
  }

  /** Replaces a thread that has ended or published a wrong result. */
  #die(at: number, thread: AheadThread | undefined, how: string, cause?: unknown): void {
    if (this.#isClosed || thread === undefined || this.#threads[at] !== thread) return
    this.#deaths++
    this.#threads[at] = this.#deaths < MOST_DEATHS ? this.#start(at) : undefined
    void thread.worker.terminate()
    const text = `a speculative execution thread died: ${how}`
    this.#options.onError(new LockstepError('ENGINE_FAULT', text, { cause }))
  }
}

function send({ worker }: AheadThread, message: ToSpeculationWorker): void {
  worker.postMessage(message)
}
