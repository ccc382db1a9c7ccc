import { LockstepError } from '../base/error.ts'
import type { Executed } from '../engine/outcome.ts'
import type { TraceSink } from '../engine/trace-event.ts'
import type { AsyncStateView } from '../state/view.ts'
import type { BlockEngine } from './block.ts'
import { BLOCK_START, type PlannedTransaction, type ReplayPlan } from './replay-plan.ts'
import { runUntil } from './run-until.ts'

/** Where a finished block runs again. The engine belongs to it. */
export interface PlanRun {
  readonly engine: BlockEngine
  readonly plan: ReplayPlan
  /** The state after the parent block. */
  readonly view: AsyncStateView
  /** What runs when it is aborted throws REQUEST_TIMEOUT, or the reason it was aborted with. */
  readonly signal: AbortSignal
  /** The engine waits at its yields for what this gives. */
  readonly pause?: () => Promise<void> | undefined
}

/** Begins the block: what the protocol calls before its transactions. */
export async function beginPlan({ engine, plan, view, signal, pause }: PlanRun): Promise<void> {
  engine.beginBlock(plan.env)
  for (const { to, data } of plan.systemCalls) {
    await runUntil(engine.systemCall(to, data), view, signal, pause)
  }
}

/** Begins the block and runs the plan's first `count` transactions, unwatched; the number of logs by then. */
export async function replayFirst(run: PlanRun, count: number): Promise<number> {
  await beginPlan(run)
  let { logIndex } = run.plan.first ?? BLOCK_START
  for (let i = 0; i < count; i++) logIndex += (await runPlanned(run, i)).logs.length
  return logIndex
}

/**
 * Runs transaction `index` of the plan; those before it have run.
 * @throws ENGINE_FAULT where it does not use the gas that it used the first time.
 */
export async function runPlanned(
  { engine, plan, view, signal, pause }: PlanRun,
  index: number,
  trace?: TraceSink,
): Promise<Executed> {
  const { transaction, gasUsed } = plan.transactions[index] as PlannedTransaction
  const run = engine.transact(transaction, trace === undefined ? {} : { trace })
  const outcome = await runUntil(run, view, signal, pause)
  if (outcome.kind === 'executed' && outcome.gasUsed === gasUsed) return outcome
  const { index: firstIndex } = plan.first ?? BLOCK_START
  throw new LockstepError(
    'ENGINE_FAULT',
    `transaction ${firstIndex + index} of block ${plan.height} used ${gasUsed} gas and now ` +
      (outcome.kind === 'rejected' ? `is refused: ${outcome.code}` : outcome.gasUsed),
  )
}
