import { LockstepError } from '../base/error.ts'
import { formatData } from '../base/hex.ts'
import { effectiveGasPrice } from '../chain-types/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import type { BlockEnv, TransactionInput } from '../engine/message.ts'
import type { Executed } from '../engine/outcome.ts'
import type { BlockEngine } from '../execute/block-engine.ts'
import { rejectionText } from '../execute/rejection-text.ts'
import { type PlanRun, replayFirst, runPlanned } from '../execute/replay/plan-run.ts'
import {
  BLOCK_START,
  type PlannedTransaction,
  type ReplayPlan,
} from '../execute/replay/replay-plan.ts'
import { runUntil } from '../execute/run-until.ts'
import { type AccountOverride, overlayView } from '../execute/simulate/overlay-view.ts'
import { decodeAccount } from '../state/account.ts'
import { OverlayState } from '../state/overlay-state.ts'
import type { StateView } from '../state/view.ts'
import { type ChainTraces, encodeBundle } from './bundle/bundle.ts'
import { type AccessScope, recordAccess } from './bundle/state-access.ts'
import { JobTracer, type TracerChoice, type TracerContext } from './job-tracer.ts'
import type { JsonWriter } from './json-writer.ts'
import { type BegunProfile, ProfileClock } from './profile.ts'
import { TolerantSink } from './tolerant-sink.ts'
import type { TracedMessage } from './tracer.ts'

/** A call that never enters a block. */
export interface TracedCall {
  readonly input: TransactionInput
  readonly env: BlockEnv
  /** It names a gas price, so that funds and base fee count. */
  readonly priced: boolean
  readonly stateOverrides: readonly AccountOverride[]
}

/** What a bundle is asked for with. */
export interface AccessRequest {
  readonly scope: AccessScope
  readonly engineHash: string
  /** Consensus encodings of the receipts of the plan's transactions. */
  readonly receipts: readonly Uint8Array[]
  readonly chain: ChainTraces
}

/** Which messages a tracer watches. */
export type TraceTarget =
  /** The last transaction of the plan. */
  | { readonly kind: 'transaction'; readonly profile?: BegunProfile }
  /** Each transaction of the plan. */
  | { readonly kind: 'block' }
  /** A call after the plan's transactions; without a plan, right on the state given. */
  | { readonly kind: 'call'; readonly call: TracedCall }
  /** No tracer: what the plan reads, as a bundle that runs by itself. */
  | { readonly kind: 'stateAccess'; readonly access: AccessRequest }

/** One trace as plain data: it can be sent to another thread. */
export interface TraceJob extends TracerChoice {
  readonly target: TraceTarget
  readonly plan: ReplayPlan | undefined
}

/** Where a job runs. */
export interface TraceContext extends TracerContext {
  readonly engine: BlockEngine & Pick<Engine, 'keccak256' | 'forgetCode'>
  /** The state before the plan, or before the call where there is no plan. */
  readonly view: StateView
  /** Takes the result: one JSON value. After a failure it may be open in the middle. */
  readonly writer: JsonWriter
  readonly signal: AbortSignal
  /** The engine waits at its yields for what this gives: a reader that is slow. */
  readonly pause: () => Promise<void> | undefined
  /** The transactions before the traced one have run. */
  readonly onReplayed: () => void
}

/**
 * Runs a job.
 * @throws what the tracer or the state throws, REQUEST_TIMEOUT or the reason that the signal was aborted
 * with, ENGINE_FAULT; TRACE_DIFFERS where a transaction does not come to what its receipt says; for a call that the protocol refuses TRANSACTION_REJECTED.
 */
export function runTrace(job: TraceJob, context: TraceContext): Promise<void> {
  const { target } = job
  switch (target.kind) {
    case 'transaction':
      return target.profile === undefined
        ? traceLast(job, context)
        : profileLast(job, context, target.profile)
    case 'block':
      return traceBlock(job, context)
    case 'call':
      return traceCall(job, context, target.call)
    case 'stateAccess':
      return traceAccess(job, context, target.access)
  }
}

function planOf(job: TraceJob, { engine, view, signal, pause }: TraceContext): PlanRun {
  if (job.plan === undefined) {
    throw new LockstepError('INVALID_ARGUMENT', 'a trace of a block needs its plan')
  }
  return { engine, plan: job.plan, view, signal, pause }
}

function messageAt(
  { env, blockHash, transactions, first = BLOCK_START }: ReplayPlan,
  index: number,
  firstLogIndex: number,
): TracedMessage {
  const { transaction } = transactions[index] as PlannedTransaction
  return {
    input: transaction,
    env,
    gasPrice: effectiveGasPrice(transaction, env.baseFee),
    firstLogIndex,
    position: { blockHash, index: first.index + index, transactionHash: transaction.hash },
  }
}

/** A transaction of a plan that runs, those before it having run. */
function watchedAt(run: PlanRun, index: number, firstLogIndex: number, view: StateView) {
  return {
    message: messageAt(run.plan, index, firstLogIndex),
    view,
    again: () => replayFirst(run, index),
  }
}

async function traceLast(job: TraceJob, context: TraceContext): Promise<void> {
  const run = planOf(job, context)
  const last = run.plan.transactions.length - 1
  const logs = await replayFirst(run, last)
  context.onReplayed()
  await new JobTracer(job, context).watch(
    watchedAt(run, last, logs, context.view),
    async (tracer) => {
      tracer.finish(await runPlanned(run, last, tracer.sink))
    },
  )
}

/** The same inside of {trace, profile}. */
async function profileLast(
  job: TraceJob,
  context: TraceContext,
  begun: BegunProfile,
): Promise<void> {
  const { writer } = context
  const clock = new ProfileClock(begun)
  const run = planOf(job, { ...context, view: clock.timed(context.view) })
  const last = run.plan.transactions.length - 1
  writer.beginObject()
  writer.name('trace')
  const logs = await replayFirst(run, last)
  context.onReplayed()
  clock.end('replayHistoricalTxsNanos')
  await new JobTracer(job, context).watch(
    watchedAt(run, last, logs, context.view),
    async (tracer) => {
      clock.end('prepareTxNanos')
      const outcome = await runPlanned(run, last, tracer.sink)
      clock.end('executionNanos')
      tracer.finish(outcome)
      clock.end('traceResultNanos')
    },
  )
  writer.member('profile', clock.profile())
  writer.end()
}

/** An array of {txHash, result}. What fails in a tracer leaves an `error` in its element. */
async function traceBlock(job: TraceJob, context: TraceContext): Promise<void> {
  const { writer } = context
  const run = planOf(job, context)
  const tracer = new JobTracer(job, context)
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

/** Writes `result`, or `error` beside what there is of it. The transaction runs in any case. */
async function traceElement(
  jobTracer: JobTracer,
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
    await jobTracer.watch(watchedAt(run, index, firstLogIndex, context.view), async (tracer) => {
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

/** Whether a failure is the tracer's, and not of the run: what is run from a wrong state is no answer. */
function isOfTracer(thrown: unknown): thrown is LockstepError {
  return thrown instanceof LockstepError && thrown.code !== 'TRACE_DIFFERS'
}

async function traceCall(job: TraceJob, context: TraceContext, call: TracedCall): Promise<void> {
  const { engine, signal, pause } = context
  const { input, env, priced, stateOverrides } = call
  const { state, firstLogIndex } = await stateUnder(job, context)
  const view =
    stateOverrides.length === 0
      ? state
      : overlayView(state, stateOverrides, (bytes) => engine.keccak256(bytes))
  engine.beginBlock(env)
  context.onReplayed()
  const gasPrice = priced ? effectiveGasPrice(input, env.baseFee) : 0n
  const message = { input, env, gasPrice, firstLogIndex }
  const again = async () => engine.beginBlock(env)
  await new JobTracer(job, context).watch({ message, view, again }, async (tracer) => {
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
    const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
    const reason = rejectionText(outcome.code, input, env, sender, keccak256)
    throw new LockstepError('TRANSACTION_REJECTED', `tracing failed: ${reason}`)
  })
}

/** What a call runs on: the state after the plan's transactions. */
async function stateUnder(
  job: TraceJob,
  context: TraceContext,
): Promise<{ readonly state: StateView; readonly firstLogIndex: number }> {
  if (job.plan === undefined) return { state: context.view, firstLogIndex: 0 }
  const run = planOf(job, context)
  const firstLogIndex = await replayFirst(run, run.plan.transactions.length)
  const state = new OverlayState(context.view)
  state.apply(context.engine.diff())
  return { state, firstLogIndex }
}

async function traceAccess(
  job: TraceJob,
  context: TraceContext,
  access: AccessRequest,
): Promise<void> {
  const { scope, engineHash, receipts, chain } = access
  const { engine, view, onReplayed, writer } = context
  const recorded = await recordAccess({ ...planOf(job, context), engine, view, onReplayed }, scope)
  const { transactions } = recorded.plan
  const outcomes = receipts
    .slice(-transactions.length)
    .map((receipt) => ({ receipt, digests: undefined }))
  writer.value(encodeBundle({ engineHash, scope, ...recorded, outcomes }, chain))
}
