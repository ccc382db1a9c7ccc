import { LockstepError } from '../base/error.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { Executed } from '../engine/outcome.ts'
import type { TraceSink } from '../engine/trace-event.ts'
import type { AsyncStateView } from '../state/view.ts'
import type { BlockEngine } from './block.ts'
import type { EnginePool } from './engine-pool.ts'
import type { History } from './history.ts'
import {
  type PlannedTransaction,
  type PlanSite,
  planReplay,
  type ReplayPlan,
} from './replay-plan.ts'
import { runUntil } from './run-until.ts'

export interface ReplayerOptions extends PlanSite {
  readonly history: Omit<History, 'fork'>
  readonly engines: EnginePool<BlockEngine>
}

/** A transaction of a finished block, run again. */
export interface Replayed {
  readonly index: number
  readonly transaction: Transaction
  readonly outcome: Executed
}

/**
 * Runs a plan on the state after the parent block, the events of each transaction to the sink that
 * `sinkFor` gives; yields each when it is done. They use the gas that they used the first time.
 * @throws REQUEST_TIMEOUT once `signal` is aborted; ENGINE_FAULT where a run differs from its receipt.
 */
export async function* runPlan(
  engine: BlockEngine,
  plan: ReplayPlan,
  view: AsyncStateView,
  sinkFor: (index: number) => TraceSink | undefined,
  signal: AbortSignal,
): AsyncGenerator<Replayed, void> {
  engine.beginBlock(plan.env)
  for (const { to, data } of plan.systemCalls) {
    await runUntil(engine.systemCall(to, data), view, signal)
  }
  for (let index = 0; index < plan.transactions.length; index++) {
    const { transaction, gasUsed } = plan.transactions[index] as PlannedTransaction
    const trace = sinkFor(index)
    const run = engine.transact(transaction, trace === undefined ? {} : { trace })
    const outcome = await runUntil(run, view, signal)
    if (outcome.kind === 'rejected' || outcome.gasUsed !== gasUsed) {
      throw new LockstepError(
        'ENGINE_FAULT',
        `transaction ${index} of block ${plan.height} used ${gasUsed} gas and now ` +
          (outcome.kind === 'rejected' ? `is refused: ${outcome.code}` : outcome.gasUsed),
      )
    }
    yield { index, transaction, outcome }
  }
}

/** Runs the transactions of finished blocks again, from the state after the parent block. */
export class Replayer {
  readonly #options: ReplayerOptions

  constructor(options: ReplayerOptions) {
    this.#options = options
  }

  /**
   * Feeds the events of transaction `index` of block `height`, run on the state it ran on, to `sink`.
   * @throws NOT_FOUND, STATE_PRUNED, SERVER_BUSY, REQUEST_TIMEOUT; ENGINE_FAULT where the run differs
   * from the receipt.
   */
  async replay(
    height: number,
    index: number,
    sink: TraceSink,
    signal: AbortSignal,
  ): Promise<Executed> {
    const sinkFor = (at: number) => (at === index ? sink : undefined)
    for await (const replayed of this.replayBlock(height, sinkFor, signal, index + 1)) {
      if (replayed.index === index) return replayed.outcome
    }
    throw new LockstepError('NOT_FOUND', `block ${height} has no transaction ${index}`)
  }

  /**
   * Runs the first `count` transactions of a block (all by default). The engine is kept until the
   * iteration ends. Throws as `replay`.
   */
  async *replayBlock(
    height: number,
    sinkFor: (index: number) => TraceSink | undefined,
    signal: AbortSignal,
    count = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Replayed, void> {
    const plan = planReplay(this.#options, height, count)
    const view = this.#options.history.view(height - 1)
    const lease = await this.#options.engines.lease()
    try {
      yield* runPlan(lease.engine, plan, view, sinkFor, signal)
    } finally {
      lease.release()
    }
  }
}
