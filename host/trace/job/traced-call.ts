import { LockstepError } from '../../base/error.ts'
import { effectiveGasPrice } from '../../chain-types/transaction.ts'
import { rejectionText } from '../../execute/rejection-text.ts'
import { replayFirst } from '../../execute/replay/plan-run.ts'
import { runUntil } from '../../execute/run-until.ts'
import { overlayView } from '../../execute/simulate/overlay-view.ts'
import { decodeAccount } from '../../state/account.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { StateView } from '../../state/view.ts'
import { MessageTracer } from './message-tracer.ts'
import { planRunOf, type TraceContext } from './trace-context.ts'
import type { TracedCall, TraceJob } from './trace-job.ts'

/**
 * Traces a call on the state after the plan's transactions.
 * @throws TRANSACTION_REJECTED where the protocol refuses the call.
 */
export async function traceCall(
  job: TraceJob,
  context: TraceContext,
  call: TracedCall,
): Promise<void> {
  const { engine, signal, pause } = context
  const { input, env, priced, stateOverrides } = call
  const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
  const { state, firstLogIndex } = await stateAfterPlan(job, context)
  const view = stateOverrides.length === 0 ? state : overlayView(state, stateOverrides, keccak256)
  engine.beginBlock(env)
  context.onReplayed()
  const gasPrice = priced ? effectiveGasPrice(input, env.baseFee) : 0n
  const message = { input, env, gasPrice, firstLogIndex }
  const again = async () => engine.beginBlock(env)
  await new MessageTracer(job, context).watch({ message, view, again }, async (tracer) => {
    const run = engine.transact(input, {
      leniency: { skipSenderChecks: true, skipFees: !priced },
      trace: tracer.sink,
    })
    const outcome = await runUntil(run, view, signal, pause)
    if (outcome.kind === 'executed') {
      tracer.finish(outcome)
      return
    }
    const sender = decodeAccount(view.account(input.from))
    const reason = rejectionText(outcome.code, input, env, sender, keccak256)
    throw new LockstepError('TRANSACTION_REJECTED', `tracing failed: ${reason}`)
  })
}

/** The state that a call runs on, and the number of its first log. */
async function stateAfterPlan(
  job: TraceJob,
  context: TraceContext,
): Promise<{ readonly state: StateView; readonly firstLogIndex: number }> {
  if (job.plan === undefined) return { state: context.view, firstLogIndex: 0 }
  const run = planRunOf(job, context)
  const firstLogIndex = await replayFirst(run, run.plan.transactions.length)
  const state = new OverlayState(context.view)
  state.apply(context.engine.diff())
  return { state, firstLogIndex }
}
