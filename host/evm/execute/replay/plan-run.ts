import { LockstepError } from '../../../base/error.ts'
import { logsDigest } from '../../chain-types/log.ts'
import type { Executed, Outcome } from '../../engine/outcome.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import type { AsyncStateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import { type EndSignal, runUntil } from '../run-until.ts'
import {
  BLOCK_START,
  type PlannedTransaction,
  plannedOptions,
  type ReplayPlan,
} from './replay-plan.ts'

/** A replay of a finished block. The engine is reserved for it. */
export interface PlanRun {
  readonly engine: BlockEngine
  readonly plan: ReplayPlan
  /** State after the parent block. */
  readonly view: AsyncStateView
  /** Once aborted, the run throws REQUEST_TIMEOUT or the abort reason. */
  readonly signal: EndSignal
  /** The engine awaits the returned promise at each yield. */
  readonly pause?: () => Promise<void> | undefined
}

/** Begins the block and makes its system calls. */
export async function beginPlan({ engine, plan, view, signal, pause }: PlanRun): Promise<void> {
  engine.beginBlock(plan.env)
  for (const { to, data } of plan.systemCalls) {
    await runUntil(engine.systemCall(to, data), view, signal, pause)
  }
}

/**
 * Begins the block and executes the plan's first `count` transactions without tracing.
 * @returns the number of their logs
 */
export async function replayFirst(run: PlanRun, count: number): Promise<number> {
  await beginPlan(run)
  let { logIndex } = run.plan.first ?? BLOCK_START
  for (let i = 0; i < count; i++) logIndex += (await runPlanned(run, i)).logs.length
  return logIndex
}

/**
 * Executes transaction `index` of the plan, after those before it.
 * @throws TRACE_DIFFERS if the outcome differs from its receipt, SERVER_BUSY if the block is a pending one.
 */
export async function runPlanned(
  { engine, plan, view, signal, pause }: PlanRun,
  index: number,
  trace?: TraceSink,
): Promise<Executed> {
  const planned = plan.transactions[index] as PlannedTransaction
  const run = engine.transact(planned.transaction, plannedOptions(planned, trace))
  const outcome = await runUntil(run, view, signal, pause)
  const difference = differenceOf(planned, outcome)
  if (difference === undefined) return outcome as Executed
  if (plan.isPending === true) {
    const text = 'the state has changed since the pending block was built'
    throw new LockstepError('SERVER_BUSY', text, { hint: 'ask again' })
  }
  const { index: firstIndex } = plan.first ?? BLOCK_START
  throw new LockstepError(
    'TRACE_DIFFERS',
    `transaction ${firstIndex + index} of block ${plan.height} ${difference}`,
  )
}

/** Describes how an outcome differs from the receipt; undefined if it does not. */
function differenceOf(
  { gasUsed, outcome: first }: PlannedTransaction,
  now: Outcome,
): string | undefined {
  if (now.kind === 'rejected') return `used ${gasUsed} gas and is now rejected: ${now.code}`
  if (now.gasUsed !== gasUsed) return `used ${gasUsed} gas and now ${now.gasUsed}`
  if (first === undefined) return undefined
  if (first.success !== undefined && first.success !== now.success) {
    return now.success ? 'failed and now succeeds' : `succeeded and now fails: ${now.error}`
  }
  return first.logs === logsDigest(now.logs) ? undefined : 'emitted other logs than the replay'
}
