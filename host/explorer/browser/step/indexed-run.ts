import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { Executed } from '../../../evm/engine/outcome.ts'
import type { IndexedCall } from './call-index.ts'
import type { RunIndex } from './run-index.ts'
import { stateChanges } from './state-changes.ts'
import { type StepVisitor, StepWalk } from './step-walk.ts'
import type { RunSummary } from './stepper.ts'
import type { RunControl, StoppingSink, TransactionRun } from './transaction-run.ts'

/** A transaction that has run once: its index, and access to any of its steps. */
export class IndexedRun {
  readonly index: RunIndex
  readonly summary: RunSummary
  readonly #run: TransactionRun

  private constructor(run: TransactionRun, index: RunIndex, summary: RunSummary) {
    this.#run = run
    this.index = index
    this.summary = summary
  }

  /** Runs the transaction. Throws as `TransactionRun.first`. */
  static async open(
    run: TransactionRun,
    index: RunIndex,
    signal: AbortSignal,
  ): Promise<IndexedRun> {
    const outcome = await run.first(index, signal)
    return new IndexedRun(run, index, summaryOf(run, index, outcome))
  }

  get calls(): readonly IndexedCall[] {
    return this.index.calls
  }

  /** @throws INVALID_ARGUMENT */
  requireStep(step: number): void {
    const { count } = this.index
    if (Number.isInteger(step) && step >= 0 && step < count) return
    throw new LockstepError('INVALID_ARGUMENT', `step ${step}: there are ${count}`, {
      hint: count === 0 ? 'no code ran' : `steps are 0 to ${count - 1}`,
    })
  }

  /** Runs with the sink from `open`, which receives the step that the run starts from, at or before `from`. */
  async resume<Sink extends StoppingSink>(
    from: number,
    open: (beginning: number) => Sink,
    costs: RunControl,
  ): Promise<Sink> {
    const sink = open(this.#run.beginning(from))
    await this.#run.again(from, sink, costs)
    return sink
  }

  /** Visits the steps from `from` to `end`. */
  async walk(visitor: StepVisitor, from: number, end: number, costs: RunControl): Promise<void> {
    const first = Math.max(from, 0)
    const last = Math.min(end, this.index.count)
    if (first >= last) return
    const open = (beginning: number) =>
      new StepWalk(visitor, this.calls, { beginning, from: first, end: last })
    await this.resume(first, open, costs)
  }

  /** Visits windows between checkpoints from the last to the first, each forwards, until `isFound`. */
  async walkBack(
    visitor: StepVisitor,
    from: number,
    end: number,
    isFound: () => boolean,
    costs: RunControl,
  ): Promise<void> {
    let last = Math.min(end, this.index.count)
    while (last > from && !isFound()) {
      const first = Math.max(this.#run.beginning(last - 1), from)
      await this.walk(visitor, first, last, costs)
      last = first
    }
  }
}

function summaryOf(run: TransactionRun, index: RunIndex, outcome: Executed): RunSummary {
  const { success, gasUsed, output, createdAddress } = outcome
  return {
    success,
    gasUsed,
    gasLimit: run.input.gas,
    output: formatData(output),
    fault: index.calls[0]?.fault,
    steps: index.count,
    contractAddress: createdAddress === undefined ? undefined : formatData(createdAddress),
    changes: stateChanges(run.diff(), run.stateBefore(), (address) =>
      index.slots.slotsAt('slot', address, Number.POSITIVE_INFINITY),
    ),
  }
}
