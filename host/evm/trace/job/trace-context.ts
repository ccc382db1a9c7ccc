import { LockstepError } from '../../../base/error.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import type { PlanRun } from '../../execute/replay/plan-run.ts'
import type { StateView } from '../../state/view.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import type { ScriptEngine } from '../script/sandbox.ts'
import type { TraceJob } from './trace-job.ts'

/** Everything a job needs. */
export interface TraceContext {
  readonly engine: BlockEngine
  /** State before the plan, or before the call if there is no plan. */
  readonly view: StateView
  /** Receives the result as one JSON value. After a failure the value may be incomplete. */
  readonly writer: ChunkedJsonWriter
  readonly signal: AbortSignal
  /** The engine awaits the returned promise at each yield, to wait for a slow reader. */
  readonly pause: () => Promise<void> | undefined
  /** Called after the transactions before the traced one have run. */
  readonly onReplayed: () => void
  /** Opens the script engine. */
  readonly scripts: () => Promise<ScriptEngine>
  /** Called every few milliseconds while a script runs. An error that it throws ends the trace. */
  readonly onScriptTick?: () => void
}

/** Returns the run of a job's plan. @throws INVALID_ARGUMENT if the job has no plan. */
export function planRunOf(
  { plan }: TraceJob,
  { engine, view, signal, pause }: TraceContext,
): PlanRun {
  if (plan === undefined) {
    throw new LockstepError('INVALID_ARGUMENT', 'a trace of a block needs its plan')
  }
  return { engine, plan, view, signal, pause }
}
