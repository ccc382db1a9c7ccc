import { LockstepError } from '../../../base/error.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { answerFrom } from '../../state/answer.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import { transactNew } from '../transact.ts'
import type { JobBoard } from './job-board.ts'
import type { JobPlan } from './runs-ahead.ts'

/** The jobs of a block, for an engine beside that of the block. */
export interface RunnerOptions {
  /** Number of this runner, from 1. */
  readonly runner: number
  readonly engine: BlockEngine
  readonly env: BlockEnv
  /** The state after the parent block. */
  readonly view: StateView
  readonly board: JobBoard
  readonly plan: JobPlan
  /** The transaction of a number, counted from the first job to the last. */
  readonly transactionAt: (index: number) => Transaction
  /** Keeps the footprint of the transaction of a number; its place, or undefined where there is no room. */
  readonly keep: (index: number, footprint: Uint8Array) => number | undefined
}

/** A job that this runner has. */
interface Claim {
  readonly number: number
  /** What its transactions have made of the state so far. */
  readonly state: OverlayState
  /** True where the next of its transactions cannot run ahead. */
  isOver: boolean
}

interface Turn {
  readonly claim: Claim
  /** Number of the transaction among those of all jobs, and in the block. */
  readonly index: number
  readonly position: number
  readonly isLast: boolean
}

/**
 * Runs the jobs of its share in the order in which the block comes to their transactions, then those that nobody has, from
 * the last one on. A job ends early at a transaction that has to run in its place, or when the block has come to it.
 */
export class JobRunner {
  readonly #options: RunnerOptions
  /** Number of the first transaction of each job. */
  readonly #firsts: readonly number[]
  /** The next one is the last. */
  readonly #turns: Turn[]

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
   * Runs one transaction; false where none was left.
   * @throws what the view throws, and ENGINE_FAULT as `Engine.transact` or where the block has come to the job
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

  #nextTurn(): Turn | undefined {
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

  /** False where the transactions after it cannot run ahead. */
  #run({ claim, index, isLast }: Turn): boolean {
    const { engine, env, transactionAt, keep, board } = this.#options
    const { state } = claim
    const onYield = () => {
      if (this.#isWanted(claim)) return
      throw new LockstepError('ENGINE_FAULT', 'the block runs this itself by now')
    }
    engine.beginBlock(env)
    const run = transactNew(engine, transactionAt(index))
    const outcome = answerFrom(run, state, { onYield })
    if (outcome.kind === 'rejected') return false
    const footprint = engine.footprint()
    if (footprint === undefined) return false
    const place = keep(index, footprint)
    if (place === undefined) return false
    board.publish(index, place)
    if (!isLast) state.apply(engine.diff())
    return true
  }
}
