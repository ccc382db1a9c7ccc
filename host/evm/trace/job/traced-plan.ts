import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { effectiveGasPrice } from '../../chain-types/transaction.ts'
import type { Executed } from '../../engine/outcome.ts'
import { type PlanRun, replayFirst, runPlanned } from '../../execute/replay/plan-run.ts'
import {
  BLOCK_START,
  type PlannedTransaction,
  type ReplayPlan,
} from '../../execute/replay/replay-plan.ts'
import type { StateView } from '../../state/view.ts'
import type { TracedMessage } from '../tracer.ts'
import { MessageTracer } from './message-tracer.ts'
import { type BegunProfile, ProfileClock } from './profile.ts'
import { TolerantSink } from './tolerant-sink.ts'
import { planRunOf, type TraceContext } from './trace-context.ts'
import type { TraceJob } from './trace-job.ts'

function messageAt(
  { env, blockHash, isPending, transactions, first = BLOCK_START }: ReplayPlan,
  index: number,
  firstLogIndex: number,
): TracedMessage {
  const { transaction } = transactions[index] as PlannedTransaction
  return {
    input: transaction,
    env,
    gasPrice: effectiveGasPrice(transaction, env.baseFee),
    firstLogIndex,
    position: {
      blockHash: isPending === true ? undefined : blockHash,
      index: first.index + index,
      transactionHash: transaction.hash,
    },
  }
}

/** Returns transaction `index` of a plan as a message to trace, after those before it have run. */
export function watchedAt(run: PlanRun, index: number, firstLogIndex: number, view: StateView) {
  return {
    message: messageAt(run.plan, index, firstLogIndex),
    view,
    again: () => replayFirst(run, index),
  }
}

/** Traces the last transaction of the plan. */
export async function traceLast(job: TraceJob, context: TraceContext): Promise<void> {
  const { view, onReplayed } = context
  const run = planRunOf(job, context)
  const last = run.plan.transactions.length - 1
  const logs = await replayFirst(run, last)
  onReplayed()
  await new MessageTracer(job, context).watch(watchedAt(run, last, logs, view), async (tracer) => {
    tracer.finish(await runPlanned(run, last, tracer.sink))
  })
}

/** Writes {trace, profile}: the trace of the plan's last transaction, and the duration of each phase. */
export async function profileLast(
  job: TraceJob,
  context: TraceContext,
  begun: BegunProfile,
): Promise<void> {
  const { view, writer, onReplayed } = context
  const clock = new ProfileClock(begun)
  const run = planRunOf(job, { ...context, view: clock.timed(view) })
  const last = run.plan.transactions.length - 1
  writer.beginObject()
  writer.name('trace')
  const logs = await replayFirst(run, last)
  onReplayed()
  clock.end('replayHistoricalTxsNanos')
  await new MessageTracer(job, context).watch(watchedAt(run, last, logs, view), async (tracer) => {
    clock.end('prepareTxNanos')
    const outcome = await runPlanned(run, last, tracer.sink)
    clock.end('executionNanos')
    tracer.finish(outcome)
    clock.end('traceResultNanos')
  })
  writer.member('profile', clock.profile())
  writer.end()
}

/** Writes an array of {txHash, result}. If the tracer fails on a transaction, its element has an `error`. */
export async function writeBlockTrace(job: TraceJob, context: TraceContext): Promise<void> {
  const { writer } = context
  const run = planRunOf(job, context)
  const tracer = new MessageTracer(job, context)
  let logs = await replayFirst(run, 0)
  context.onReplayed()
  writer.beginArray()
  for (const [index, { transaction }] of run.plan.transactions.entries()) {
    writer.beginObject()
    writer.member('txHash', formatData(transaction.hash))
    logs += (await traceElement(tracer, context, run, index, logs)).logs.length
    writer.end()
    await context.pause()
  }
  writer.end()
}

/** Writes `result`, or `error` after its incomplete value. Always executes the transaction. */
async function traceElement(
  messageTracer: MessageTracer,
  context: TraceContext,
  run: PlanRun,
  index: number,
  firstLogIndex: number,
): Promise<Executed> {
  const { writer } = context
  const { depth } = writer
  let outcome: Executed | undefined
  writer.name('result')
  try {
    const watched = watchedAt(run, index, firstLogIndex, context.view)
    await messageTracer.watch(watched, async (tracer) => {
      const sink = new TolerantSink(tracer.sink)
      outcome = await runPlanned(run, index, sink)
      if (sink.failure !== undefined) throw sink.failure
      tracer.finish(outcome)
    })
  } catch (thrown) {
    if (context.signal.aborted || !isOfTracer(thrown)) throw thrown
    writer.closeAll(depth)
    writer.member('error', thrown.message)
  }
  return outcome ?? runPlanned(run, index)
}

/** True if the tracer failed. If the run failed instead, the state is wrong too. */
function isOfTracer(thrown: unknown): thrown is LockstepError {
  return thrown instanceof LockstepError && thrown.code !== 'TRACE_DIFFERS'
}
