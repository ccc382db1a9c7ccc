import type { TraceSink } from '../../engine/trace-event.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import { beginPlan, type PlanRun, replayFirst, runPlanned } from '../../execute/replay/plan-run.ts'
import type { ReplayPlan } from '../../execute/replay/replay-plan.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import { type RecordedReads, RecordingView } from '../../state/recorded-state.ts'
import type { StateView } from '../../state/view.ts'
import type { AccessScope } from './bundle.ts'

/** Everything needed to record a plan. */
export interface RecordingContext extends PlanRun {
  readonly engine: BlockEngine
  readonly view: StateView
  /** Called after the transactions that are not recorded have run. */
  readonly onReplayed: () => void
}

/** A plan and everything it reads. */
export interface RecordedPlan {
  readonly plan: ReplayPlan
  readonly reads: RecordedReads
}

/**
 * Makes the engine read what tracers need beyond the transaction itself, such as the code of an account whose balance
 * is read. These reads are recorded too, so that replays can be traced. Tracing steps would read nothing more and
 * double the time.
 */
export const RECORDING_SINK: TraceSink = { wantsState: true, ignoresLogs: true, onEvent: () => {} }

/** Executes a plan and records its reads: from the state before the plan, or before its last transaction. */
export async function recordPlan(run: RecordingContext, scope: AccessScope): Promise<RecordedPlan> {
  const { plan, view } = scope === 'block' ? run : await upToLast(run)
  run.onReplayed()
  const recording = new RecordingView(view)
  run.engine.forgetCode()
  const recorded = { ...run, plan, view: recording }
  await beginPlan(recorded)
  for (const index of plan.transactions.keys()) await runPlanned(recorded, index, RECORDING_SINK)
  return { plan, reads: recording.reads }
}

/** Returns the plan of the last transaction only, with the state before it. */
async function upToLast(run: RecordingContext): Promise<Pick<RecordingContext, 'plan' | 'view'>> {
  const { plan } = run
  const before = plan.transactions.slice(0, -1)
  const logIndex = await replayFirst(run, before.length)
  const view = new OverlayState(run.view)
  view.apply(run.engine.diff())
  const cumulativeGasUsed = before.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
  return {
    view,
    plan: {
      ...plan,
      systemCalls: [],
      transactions: plan.transactions.slice(-1),
      first: { index: before.length, logIndex, cumulativeGasUsed },
    },
  }
}
