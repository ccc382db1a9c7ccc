import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import type { TransactionInput } from '../../engine/message.ts'
import type { Executed, Outcome } from '../../engine/outcome.ts'
import type { StateDiff } from '../../engine/state-diff.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import { rejectionText } from '../../execute/rejection-text.ts'
import {
  type PlannedTransaction,
  plannedOptions,
  type ReplayPlan,
} from '../../execute/replay/replay-plan.ts'
import { runUntil } from '../../execute/run-until.ts'
import { decodeAccount } from '../../state/account.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { StateView } from '../../state/view.ts'
import { Turns } from './turns.ts'

export interface TransactionRunOptions {
  /** It belongs to the run: nobody else uses it. */
  readonly engine: BlockEngine
  readonly plan: ReplayPlan
  /** Place of the transaction in the plan; those before it run first. */
  readonly index: number
  /** The state before the plan. */
  readonly view: StateView
}

/** One transaction of a plan, which can be run any number of times. */
export class TransactionRun {
  readonly input: TransactionInput
  /** The state before the transaction. */
  readonly state: OverlayState
  readonly #options: TransactionRunOptions
  readonly #planned: PlannedTransaction
  readonly #turns = new Turns()

  private constructor(options: TransactionRunOptions, planned: PlannedTransaction) {
    this.#options = options
    this.#planned = planned
    this.input = planned.transaction
    this.state = new OverlayState(options.view)
  }

  /** Runs what comes before the transaction. @throws TRANSACTION_REJECTED, INVALID_ARGUMENT */
  static async open(options: TransactionRunOptions, signal: AbortSignal): Promise<TransactionRun> {
    const { engine, plan, index } = options
    const planned = plan.transactions[index]
    if (planned === undefined) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `transaction ${index}: the bundle has ${plan.transactions.length}`,
        { hint: 'name one by its place, from 0' },
      )
    }
    const run = new TransactionRun(options, planned)
    engine.beginBlock(plan.env)
    for (const { to, data } of plan.systemCalls) {
      await runUntil(engine.systemCall(to, data), options.view, signal, undefined, run.#turn)
    }
    for (const before of plan.transactions.slice(0, index)) {
      const outcome = await runUntil(
        engine.transact(before.transaction, plannedOptions(before)),
        options.view,
        signal,
        undefined,
        run.#turn,
      )
      run.#refuseRejected(outcome, before)
    }
    run.state.apply(engine.diff())
    return run
  }

  /**
   * Runs the transaction under a sink; undefined where `isEnough` became true before its end.
   * @throws TRANSACTION_REJECTED, REQUEST_TIMEOUT or what the signal was aborted with, ENGINE_FAULT
   */
  async run(
    trace: TraceSink,
    signal: AbortSignal,
    isEnough: () => boolean = () => false,
  ): Promise<Executed | undefined> {
    const { engine, plan } = this.#options
    engine.beginBlock(plan.env)
    const enough = new Enough()
    const pause = () => {
      if (isEnough()) throw enough
      return undefined
    }
    try {
      const message = engine.transact(this.input, plannedOptions(this.#planned, trace))
      const outcome = await runUntil(message, this.state, signal, pause, this.#turn)
      this.#refuseRejected(outcome, this.#planned)
      return outcome as Executed
    } catch (thrown) {
      if (thrown === enough) return undefined
      throw thrown
    }
  }

  /** What the transaction changed, once it has run to its end. */
  diff(): StateDiff {
    return this.#options.engine.diff()
  }

  readonly #turn = () => this.#turns.next()

  #refuseRejected(outcome: Outcome, { transaction }: PlannedTransaction): void {
    if (outcome.kind === 'executed') return
    const { plan, engine } = this.#options
    const sender = decodeAccount(this.state.account(transaction.from))
    const reason = rejectionText(outcome.code, transaction, plan.env, sender, (bytes) =>
      engine.keccak256(bytes),
    )
    throw new LockstepError(
      'TRANSACTION_REJECTED',
      `transaction ${formatData(transaction.hash)} cannot be in the block: ${reason}`,
    )
  }
}

/** Ends a run whose steps are not wanted any more. */
class Enough extends Error {}
