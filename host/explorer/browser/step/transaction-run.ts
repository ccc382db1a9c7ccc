import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { Engine } from '../../../evm/engine/engine.ts'
import type { TransactionInput } from '../../../evm/engine/message.ts'
import type { Run } from '../../../evm/engine/need.ts'
import type { Executed, Outcome } from '../../../evm/engine/outcome.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import type { TraceSink } from '../../../evm/engine/trace-event.ts'
import type { BlockEngine } from '../../../evm/execute/block-engine.ts'
import { rejectionText } from '../../../evm/execute/rejection-text.ts'
import {
  type PlannedTransaction,
  plannedOptions,
  type ReplayPlan,
} from '../../../evm/execute/replay/replay-plan.ts'
import { runUntil } from '../../../evm/execute/run-until.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import { OverlayState } from '../../../evm/state/overlay-state.ts'
import type { AsyncStateView, StateView } from '../../../evm/state/view.ts'
import { AnsweredState } from './answered-state.ts'
import { type CheckpointLimits, CheckpointList } from './checkpoint-list.ts'
import type { RunIndex } from './run-index.ts'
import { TimeSlicer } from './time-slicer.ts'

export interface TransactionRunOptions {
  /** Owned by the run: not to be used elsewhere. */
  readonly engine: BlockEngine & Pick<Engine, 'checkpoint' | 'pauseSoon' | 'resume'>
  readonly plan: ReplayPlan
  /** Index of the transaction in the plan; those before it run first. */
  readonly index: number
  /** The state before the plan. */
  readonly view: AsyncStateView
  readonly checkpoints?: CheckpointLimits
}

/** A sink that can stop a run. */
export interface StoppingSink extends TraceSink {
  /** Number of the next step. */
  readonly next: number
  /** True to stop. */
  readonly isOver: boolean
}

/** Options to cancel a run and to report its progress. */
export interface RunControl {
  readonly signal: AbortSignal
  /** Called now and then with the number of the next step. */
  readonly onTurn?: ((step: number) => void) | undefined
}

/** One transaction of a plan, whose steps can be run again from checkpoints. */
export class TransactionRun {
  readonly #options: TransactionRunOptions
  readonly #planned: PlannedTransaction
  readonly #state: AnsweredState
  readonly #turns = new TimeSlicer()
  readonly #checkpoints: CheckpointList
  /** Changes of the plan before the transaction. */
  #before: StateDiff | undefined

  constructor(options: TransactionRunOptions) {
    const { plan, index, view, checkpoints } = options
    const planned = plan.transactions[index]
    if (planned === undefined) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `transaction ${index}: the bundle has ${plan.transactions.length}`,
        { hint: 'give its index, from 0' },
      )
    }
    this.#options = options
    this.#planned = planned
    this.#state = new AnsweredState(view)
    this.#checkpoints = new CheckpointList(checkpoints)
  }

  get input(): TransactionInput {
    return this.#planned.transaction
  }

  /** Returns the state before the transaction, as far as it has been read. */
  stateBefore(): StateView {
    const state = new OverlayState(this.#state.known)
    if (this.#before !== undefined) state.apply(this.#before)
    return state
  }

  /** Returns the changes of the plan up to and including the transaction. */
  diff(): StateDiff {
    return this.#options.engine.diff()
  }

  /**
   * Runs the plan up to and including the transaction, and takes checkpoints when due.
   * @throws TRANSACTION_REJECTED; REQUEST_TIMEOUT or the abort reason of the signal; ENGINE_FAULT
   */
  async first(index: RunIndex, signal: AbortSignal): Promise<Executed> {
    const { engine, plan, index: place } = this.#options
    engine.beginBlock(plan.env)
    for (const { to, data } of plan.systemCalls) {
      await this.#drive(engine.systemCall(to, data), signal)
    }
    for (const planned of plan.transactions.slice(0, place)) {
      this.#refuse(
        await this.#drive(engine.transact(planned.transaction, plannedOptions(planned)), signal),
        planned,
      )
    }
    this.#before = engine.diff()
    const trace = this.#keepingCheckpoints(index)
    const hurry = () => {
      if (this.#checkpoints.isOverdue) engine.pauseSoon()
    }
    const outcome = await this.#drive(
      engine.transact(this.input, plannedOptions(this.#planned, trace)),
      signal,
      hurry,
    )
    this.#refuse(outcome, this.#planned)
    index.settle()
    return outcome as Executed
  }

  /** Returns the step from which `again` starts to reach step `from`. */
  beginning(from: number): number {
    return this.#checkpoints.before(from)?.step ?? 0
  }

  /** Runs the steps from `beginning(from)` with a sink, until it stops the run. */
  async again(from: number, sink: StoppingSink, costs: RunControl): Promise<void> {
    const kept = this.#checkpoints.before(from)
    if (kept === undefined || sink.isOver) return
    const enough = new Enough()
    const stop = () => {
      if (sink.isOver) throw enough
    }
    try {
      const run = this.#options.engine.resume(kept.checkpoint, sink)
      await this.#drive(run, costs.signal, stop, () => costs.onTurn?.(sink.next))
    } catch (thrown) {
      if (thrown !== enough) throw thrown
    }
  }

  #keepingCheckpoints(index: RunIndex): TraceSink {
    const checkpoints = this.#checkpoints
    const { engine } = this.#options
    return {
      get steps() {
        return { stack: false, memory: false, count: checkpoints.next - index.count }
      },
      onBegin: (live) => index.onBegin(live),
      onEvent: (event) => index.onEvent(event),
      onStep: (step) => index.onStep(step),
      onPause: () => checkpoints.add(index.count, (before) => engine.checkpoint(before)),
    }
  }

  #drive<Result>(
    run: Run<Result>,
    signal: AbortSignal,
    onYield?: () => void,
    onTurn?: () => void,
  ): Result | Promise<Result> {
    const pause = () => {
      onYield?.()
      return undefined
    }
    const turn = () => {
      const next = this.#turns.next()
      if (next !== undefined) onTurn?.()
      return next
    }
    return runUntil(run, this.#state, signal, pause, turn)
  }

  #refuse(outcome: Outcome, { transaction }: PlannedTransaction): void {
    if (outcome.kind === 'executed') return
    const { plan, engine } = this.#options
    const sender = decodeAccount(this.stateBefore().account(transaction.from))
    const reason = rejectionText(outcome.code, transaction, plan.env, sender, (bytes) =>
      engine.keccak256(bytes),
    )
    throw new LockstepError(
      'TRANSACTION_REJECTED',
      `transaction ${formatData(transaction.hash)} cannot be in the block: ${reason}`,
    )
  }
}

/** Thrown to stop a run when the sink wants no more steps. */
class Enough extends Error {}
