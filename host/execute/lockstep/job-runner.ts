import { LockstepError } from '../../base/error.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { answerFrom } from '../../state/answer.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import { transactNew } from '../transact.ts'
import type { JobBoard } from './job-board.ts'
import type { Job } from './runs-ahead.ts'

/** The jobs of a block, for an engine beside that of the block. */
export interface RunnerOptions {
  /** Number of this runner, from 1. */
  readonly runner: number
  readonly engine: BlockEngine
  readonly env: BlockEnv
  /** The state after the parent block. */
  readonly view: StateView
  readonly board: JobBoard
  /** Transactions of each job. */
  readonly sizes: readonly number[]
  readonly jobOf: (number: number) => Job
  /** Keeps the footprint of the transaction of a number; its place, or undefined where there is no room. */
  readonly keep: (index: number, footprint: Uint8Array) => number | undefined
}

/**
 * Runs jobs of a block from the last one on until none is left. A job ends early at a transaction that has to run in its
 * place, or when the block has come to it.
 */
export class JobRunner {
  readonly #options: RunnerOptions
  /** Number of the first transaction of each job. */
  readonly #firsts: readonly number[]

  constructor(options: RunnerOptions) {
    this.#options = options
    let count = 0
    this.#firsts = options.sizes.map((size) => {
      const first = count
      count += size
      return first
    })
  }

  /**
   * Runs one job; false where none was left.
   * @throws what the view throws, and ENGINE_FAULT as `Engine.transact` or where the block has come to the job
   */
  runOne(): boolean {
    const { runner, engine, board, jobOf, view } = this.#options
    const number = board.claimLast(runner)
    if (number === undefined) return false
    const job = jobOf(number)
    const first = this.#firsts[number] as number
    const state = new OverlayState(view)
    const isWanted = () => !board.isStopped && board.runnerOf(number) === runner
    for (const [i, transaction] of job.entries()) {
      if (!isWanted() || !this.#run(transaction, first + i, state, isWanted)) break
      if (i < job.length - 1) state.apply(engine.diff())
    }
    return true
  }

  /** False where the transactions after it cannot run ahead. */
  #run(
    transaction: Transaction,
    index: number,
    state: OverlayState,
    isWanted: () => boolean,
  ): boolean {
    const { engine, env, keep, board } = this.#options
    const onYield = () => {
      if (!isWanted()) throw new LockstepError('ENGINE_FAULT', 'the block runs this itself by now')
    }
    engine.beginBlock(env)
    const outcome = answerFrom(transactNew(engine, transaction), state, { onYield })
    if (outcome.kind === 'rejected') return false
    const footprint = engine.footprint()
    if (footprint === undefined) return false
    const place = keep(index, footprint)
    if (place === undefined) return false
    board.publish(index, place)
    return true
  }
}
