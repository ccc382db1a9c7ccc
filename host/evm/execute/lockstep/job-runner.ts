import { LockstepError } from '../../../base/error.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { answerFrom } from '../../state/answer.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import { transactNew } from '../transact.ts'
import type { JobBoard } from './job-board.ts'
import type { JobPlan } from './speculative-results.ts'

/** Options of a runner that executes a block's jobs on an engine of its own. */
export interface RunnerOptions {
  /** Number of this runner, from 1. */
  readonly runner: number
  readonly engine: BlockEngine
  readonly env: BlockEnv
  /** State after the parent block. */
  readonly view: StateView
  readonly board: JobBoard
  readonly plan: JobPlan
  /** Returns a transaction by index, counted through all jobs in order. */
  readonly transactionAt: (index: number) => Transaction
  /** Stores the read/write set of a transaction and returns its address; undefined if there is no room. */
  readonly keep: (index: number, footprint: Uint8Array) => number | undefined
}

/** A job claimed by this runner. */
interface Claim {
  readonly number: number
  /** State after the job's transactions so far. */
  readonly state: OverlayState
  /** True if the job's next transaction cannot be executed speculatively. */
  isOver: boolean
}

interface QueuedRun {
  readonly claim: Claim
  /** Index of the transaction through all jobs, and in the block. */
  readonly index: number
  readonly position: number
  readonly isLast: boolean
}

/**
 * Executes the jobs of its share in block order, then unclaimed jobs from the last one on. A job ends early at a
 * transaction that cannot be executed speculatively, or when the block reaches it.
 */
export class JobRunner {
  readonly #options: RunnerOptions
  /** Index of each job's first transaction. */
  readonly #firsts: readonly number[]
  /** A stack: the next one is the last element. */
  readonly #turns: QueuedRun[]

  constructor(options: RunnerOptions) {
    this.#options = options
    const { plan, board, runner } = options
    let count = 0
    this.#firsts = plan.sizes.map((size) => {
      const first = count
      count += size
      return first
    })
    const [from, to] = plan.shares[runner] as readonly [number, number]
    this.#turns = []
    for (let job = from; job < to; job++) if (board.claim(job, runner)) this.#addTurns(job)
    this.#turns.sort((a, b) => b.position - a.position)
  }

  /**
   * Executes one transaction. Returns false if none was left.
   * @throws what the view throws; ENGINE_FAULT like `Engine.transact`, or if the block has reached the job
   */
  runOne(): boolean {
    for (let turn = this.#nextTurn(); turn !== undefined; turn = this.#nextTurn()) {
      const { claim } = turn
      if (claim.isOver || !this.#isWanted(claim)) continue
      claim.isOver = true
      if (this.#run(turn)) claim.isOver = false
      return true
    }
    return false
  }

  #nextTurn(): QueuedRun | undefined {
    const turn = this.#turns.pop()
    if (turn !== undefined) return turn
    const { board, runner } = this.#options
    const job = board.claimLast(runner)
    if (job === undefined) return undefined
    this.#addTurns(job)
    this.#turns.reverse()
    return this.#turns.pop()
  }

  #addTurns(number: number): void {
    const { view, plan } = this.#options
    const claim: Claim = { number, state: new OverlayState(view), isOver: false }
    const first = this.#firsts[number] as number
    const last = first + (plan.sizes[number] as number) - 1
    for (let index = first; index <= last; index++) {
      const position = plan.positions[index] as number
      this.#turns.push({ claim, index, position, isLast: index === last })
    }
  }

  #isWanted({ number }: Claim): boolean {
    const { board, runner } = this.#options
    return !board.isStopped && board.runnerOf(number) === runner
  }

  /** Returns false if the job's later transactions cannot be executed speculatively. */
  #run({ claim, index, isLast }: QueuedRun): boolean {
    const { engine, env, transactionAt, keep, board } = this.#options
    const { state } = claim
    const onYield = () => {
      if (this.#isWanted(claim)) return
      throw new LockstepError('ENGINE_FAULT', 'the block already executes this job itself')
    }
    engine.beginBlock(env)
    const run = transactNew(engine, transactionAt(index))
    const outcome = answerFrom(run, state, { onYield })
    if (outcome.kind === 'rejected') return false
    const footprint = engine.readWriteSet()
    if (footprint === undefined) return false
    const place = keep(index, footprint)
    if (place === undefined) return false
    board.publish(index, place)
    if (!isLast) state.apply(engine.diff())
    return true
  }
}
