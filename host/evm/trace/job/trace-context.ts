import { LockstepError } from '../../../base/error.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import type { PlanRun } from '../../execute/replay/plan-run.ts'
import type { StateView } from '../../state/view.ts'
import type { JsonWriter } from '../json-writer.ts'
import type { ScriptEngine } from '../script/sandbox.ts'
import type { TraceJob } from './trace-job.ts'

/** All that a job runs with. */
export interface TraceContext {
  readonly engine: BlockEngine
  /** The state before the plan, or before the call where there is no plan. */
  readonly view: StateView
  /** Takes the result: one JSON value. After a failure the value may be open in the middle. */
  readonly writer: JsonWriter
  readonly signal: AbortSignal
  /** The engine waits at its yields for the promise that this gives: while a reader is slow. */
  readonly pause: () => Promise<void> | undefined
  /** Called once the transactions before the traced one have run. */
  readonly onReplayed: () => void
  /** Opens the engine of scripts. */
  readonly scripts: () => Promise<ScriptEngine>
  /** Called every few milliseconds while a script runs; an error that it throws ends the trace. */
  readonly onScriptTick?: () => void
}

/** The run of a job's plan. @throws INVALID_ARGUMENT where the job has none. */
export function planRunOf(
  { plan }: TraceJob,
  { engine, view, signal, pause }: TraceContext,
): PlanRun {
  if (plan === undefined) {
    throw new LockstepError('INVALID_ARGUMENT', 'a trace of a block needs its plan')
  }
  return { engine, plan, view, signal, pause }
}
