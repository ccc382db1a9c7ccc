import { LockstepError } from '../../../base/error.ts'
import { effectiveGasPrice } from '../../chain-types/transaction.ts'
import { rejectionText } from '../../execute/rejection-text.ts'
import { replayFirst } from '../../execute/replay/plan-run.ts'
import { runUntil } from '../../execute/run-until.ts'
import { type AccountOverride, overlayView } from '../../execute/simulate/overlay-view.ts'
import { decodeAccount } from '../../state/account.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { StateView } from '../../state/view.ts'
import { MessageTracer } from './message-tracer.ts'
import { planRunOf, type TraceContext } from './trace-context.ts'
import type { ListedCall, TracedCall, TraceJob, TraceTarget } from './trace-job.ts'

/**
 * Traces a call on the state after the plan's transactions.
 * @throws TRANSACTION_REJECTED if the protocol rejects the call.
 */
export async function writeCallTrace(
  job: TraceJob,
  context: TraceContext,
  call: TracedCall,
): Promise<void> {
  const { state, firstLogIndex } = await stateAfterPlan(job, context)
  const view = overridden(state, call.stateOverrides, context)
  context.onReplayed()
  await traceOn(job, context, call, view, firstLogIndex)
}

function overridden(
  state: StateView,
  stateOverrides: readonly AccountOverride[],
  { engine }: TraceContext,
): StateView {
  if (stateOverrides.length === 0) return state
  return overlayView(state, stateOverrides, (bytes) => engine.keccak256(bytes))
}

async function traceOn(
  job: TraceJob,
  context: TraceContext,
  { input, env, priced }: TracedCall,
  view: StateView,
  firstLogIndex: number,
  failure = 'tracing failed',
): Promise<void> {
  const { engine, signal, pause } = context
  engine.beginBlock(env)
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
    const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
    const sender = decodeAccount(view.account(input.from))
    const reason = rejectionText(outcome.code, input, env, sender, keccak256)
    throw new LockstepError('TRANSACTION_REJECTED', `${failure}: ${reason}`)
  })
}

/** Resolves with the state that a call runs on, and the index of its first log. */
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

/**
 * Traces calls, each on the state of the one before, and writes an array of their results.
 * @throws TRANSACTION_REJECTED if the protocol rejects one.
 */
export async function traceCalls(
  job: TraceJob,
  context: TraceContext,
  calls: readonly ListedCall[],
): Promise<void> {
  const { engine, writer } = context
  const view = new OverlayState(context.view)
  context.onReplayed()
  writer.beginArray()
  for (const { config, ...call } of calls) {
    await traceOn({ ...job, config }, context, call, view, 0)
    view.apply(engine.diff())
    await context.pause()
  }
  writer.end()
}

/**
 * Traces calls in several blocks, each on the state of the one before, and writes an array of their results for each
 * block.
 * @throws TRANSACTION_REJECTED if the protocol rejects one.
 */
export async function traceCallBundles(
  job: TraceJob,
  context: TraceContext,
  { bundles, stateOverrides }: Extract<TraceTarget, { kind: 'bundles' }>,
): Promise<void> {
  const { engine, writer } = context
  const { state } = await stateAfterPlan(job, context)
  const view = new OverlayState(overridden(state, stateOverrides, context))
  context.onReplayed()
  writer.beginArray()
  for (const [block, calls] of bundles.entries()) {
    writer.beginArray()
    for (const [index, call] of calls.entries()) {
      const failure = `bundle ${block}, transaction ${index}`
      await traceOn(job, context, call, view, 0, failure)
      view.apply(engine.diff())
      await context.pause()
    }
    writer.end()
  }
  writer.end()
}
