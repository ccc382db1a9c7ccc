import { Worker } from 'node:worker_threads'
import { LockstepError } from '../../base/error.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { EngineModules } from '../../engine/engine-modules.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { boardWords, JobBoard } from '../../execute/lockstep/job-board.ts'
import { BlockJobs, planJobs, type RunsAhead } from '../../execute/lockstep/runs-ahead.ts'
import type { StateView } from '../../state/view.ts'
import type { Phases } from '../phases.ts'
import {
  type AheadBlock,
  type AheadThreadData,
  packAccounts,
  packTransactions,
} from './ahead-messages.ts'
import { ConflictWatch } from './conflict-watch.ts'
import { FootprintArea, newFootprintArea } from './footprint-area.ts'
import { newReadArea, StateAnswerer } from './state-reads.ts'

/** Deaths after which a thread is not replaced any more: each costs an engine. */
const MOST_DEATHS = 8

export interface AheadThreadsOptions {
  /** Threads beside that of the chain. */
  readonly count: number
  readonly modules: EngineModules
  readonly phases: Pick<Phases, 'adopted' | 'repeated'>
  /** A thread died, and has been replaced unless too many have: blocks are whole without it. */
  readonly onError: (error: LockstepError) => void
  readonly script?: URL
}

interface AheadThread {
  readonly worker: Worker
  readonly footprints: FootprintArea
  readonly answerer: StateAnswerer
}

/** A block that is run ahead while the chain's thread executes it. */
export interface BlockAhead {
  readonly ahead: RunsAhead
  /** In place of the block's view: whoever reads it answers the threads' reads too. */
  readonly view: StateView
  /** The block has ended, whole or not. */
  end(): void
}

/** The block as its execution begins. */
export interface AheadRequest {
  readonly env: BlockEnv
  readonly view: StateView
  /** What the block will be made of, most likely and in this order. */
  readonly transactions: Iterable<Transaction>
}

/**
 * Threads that run the transactions of a block ahead of their turn, each in an engine of its own. The thread of the
 * chain waits for none of them: what is not there in time, or read other values, it runs itself.
 */
export class AheadThreads {
  readonly #options: AheadThreadsOptions
  readonly #threads: (AheadThread | undefined)[]
  readonly #watch = new ConflictWatch()
  #deaths = 0
  #number = 0
  #isClosed = false

  constructor(options: AheadThreadsOptions) {
    this.#options = options
    this.#threads = Array.from({ length: options.count }, (_, i) => this.#start(i))
  }

  /** Hands the jobs of a block to the threads; undefined where the block is better run in order. */
  begin({ env, view, transactions }: AheadRequest): BlockAhead | undefined {
    if (!this.#watch.admit()) return undefined
    const { jobs, plan } = planJobs(transactions, this.#threads.length)
    if (jobs.length < 2) return undefined
    const number = this.#number++
    const words = new SharedArrayBuffer(4 * boardWords(jobs.length, plan.positions.length))
    const board = new JobBoard(new Int32Array(words), jobs.length)
    const message: AheadBlock = {
      number,
      env,
      plan,
      board: words,
      transactions: packTransactions(jobs),
      accounts: packAccounts(view, env.coinbase, jobs.slice(plan.shares[0]?.[1])),
    }
    // As they are now: one that dies meanwhile leaves what it has published
    const threads = [...this.#threads]
    for (const thread of threads) thread?.worker.postMessage(message)
    const block = new BlockJobs(jobs, board, (runner, place, index) => {
      const thread = threads[runner - 1]
      try {
        return thread?.footprints.at(place, number, index)
      } catch (error) {
        this.#die(runner - 1, thread, (error as LockstepError).message, error)
        return undefined
      }
    })
    const serve = () => {
      for (const thread of threads) thread?.answerer.serve(number, view)
    }
    return {
      ahead: {
        take(transaction) {
          serve()
          return block.take(transaction)
        },
        settle: (isAdopted) => block.settle(isAdopted),
        attend: serve,
      },
      view: attendedView(view, serve),
      end: () => {
        board.stop()
        serve()
        this.#watch.note(block.taken, block.adopted)
        this.#options.phases.adopted += block.adopted
        this.#options.phases.repeated += block.taken - block.adopted
      },
    }
  }

  /** Ends the threads. Not while a block is executed. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#threads.map((thread) => thread?.worker.terminate()))
  }

  #start(at: number): AheadThread {
    const { modules, script = new URL('./ahead-worker.ts', import.meta.url) } = this.#options
    const footprints = newFootprintArea()
    const reads = newReadArea()
    const workerData: AheadThreadData = { runner: at + 1, modules, footprints, reads }
    const thread: AheadThread = {
      worker: new Worker(script, { workerData }),
      footprints: new FootprintArea(footprints),
      answerer: new StateAnswerer(reads),
    }
    thread.worker.on('error', (cause) => this.#die(at, thread, cause.message, cause))
    thread.worker.on('exit', (code) => this.#die(at, thread, `it ended with code ${code}`))
    return thread
  }

  /** Puts another thread in the place of one that has ended or is out of step. */
  #die(at: number, thread: AheadThread | undefined, how: string, cause?: unknown): void {
    if (this.#isClosed || thread === undefined || this.#threads[at] !== thread) return
    this.#deaths++
    this.#threads[at] = this.#deaths < MOST_DEATHS ? this.#start(at) : undefined
    void thread.worker.terminate()
    const text = `a thread that runs transactions ahead died: ${how}`
    this.#options.onError(new LockstepError('ENGINE_FAULT', text, { cause }))
  }
}

/** A view whose every read calls `attend` first. */
function attendedView(view: StateView, attend: () => void): StateView {
  return {
    account(address) {
      attend()
      return view.account(address)
    },
    storage(address, slot) {
      attend()
      return view.storage(address, slot)
    },
    code(codeHash) {
      attend()
      return view.code(codeHash)
    },
    blockHash(number) {
      attend()
      return view.blockHash(number)
    },
  }
}
