import { formatDuration } from '../../../base/duration.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import type { PendingBlock } from '../../../evm/execute/pending-block.ts'
import {
  type PlanContext,
  planReplay,
  type ReplayPlan,
} from '../../../evm/execute/replay/replay-plan.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { TraceJob, TraceTarget } from '../../../evm/trace/job/trace-job.ts'
import { isScript, tracerName } from '../../../evm/trace/tracers/tracer-table.ts'
import { whole } from '../../trace-pool/trace-cache.ts'
import type { TraceOutput, TracePhase } from '../../trace-pool/trace-runner.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireStateHeight } from '../resolve/block-lookup.ts'
import type { TraceRequestOptions } from './trace-options.ts'

/** A job with its initial state. */
interface PreparedTrace {
  readonly job: Pick<TraceJob, 'plan' | 'target'>
  readonly view: StateView
}

export function planContext({ history, rules, keccak256 }: RpcContext): PlanContext {
  return { history, rules, keccak256 }
}

/** Returns the replay plan of the pending block with its first `count` transactions; all by default. */
export function planPending(
  context: RpcContext,
  { block, receipts }: PendingBlock,
  count?: number,
): ReplayPlan {
  const history = { header: () => block.header, block: () => block, receipts: () => receipts }
  const plan = planReplay({ ...planContext(context), history }, block.header.number, count)
  return { ...plan, isPending: true }
}

/**
 * Returns the name of the tracer. @throws UNSUPPORTED if it does not exist, or is a script and scripts are disabled.
 */
export function checkTracer({ limits }: RpcContext, { tracer }: TraceRequestOptions): string {
  const isRefused = tracer !== undefined && isScript(tracer) && !limits.traceScripts
  if (tracer === '' || !isRefused) return tracerName(tracer)
  throw new LockstepError('UNSUPPORTED', 'JavaScript tracers are disabled', {
    data: { key: 'evm.trace_allow_js_tracers' },
    hint: 'use a built-in tracer, or set evm.trace_allow_js_tracers = true',
  })
}

export function checkLookback({ chain, limits }: RpcContext, height: number): void {
  const { traceLookbackBlocks } = limits
  if (traceLookbackBlocks < 0 || height >= chain.latest - traceLookbackBlocks) return
  throw new LockstepError(
    'LIMIT_EXCEEDED',
    `block number ${height} is beyond max lookback of ${traceLookbackBlocks}`,
    { data: { key: 'evm.max_trace_lookback_blocks', limit: traceLookbackBlocks } },
  )
}

/** The block whose state traced calls start from. */
export interface TracedBase {
  readonly header: BlockHeader
  /** The height of the block; that of its parent if it is the pending one. */
  readonly height: number
  readonly view: StateView
  readonly pending: PendingBlock | undefined
}

/** @throws NOT_FOUND, STATE_PRUNED, LIMIT_EXCEEDED if the block is too old */
export async function tracedBase(context: RpcContext, block: BlockArgument): Promise<TracedBase> {
  if (block.kind === 'pending') {
    const pending = await context.pendingBlocks.latest()
    const { header } = pending.block
    return { header, height: header.number - 1, view: pending.view, pending }
  }
  const height = requireStateHeight(context, block, blockNotFound)
  checkLookback(context, height)
  const { history } = context
  const header = knownHeader(history, height)
  return { header, height, view: history.view(height), pending: undefined }
}

/** @throws UNSUPPORTED for genesis, LIMIT_EXCEEDED if the block is too old. */
export function checkTraceable(context: RpcContext, height: number): void {
  if (height === 0) throw new LockstepError('UNSUPPORTED', 'genesis is not traceable')
  checkLookback(context, height)
}

/** Returns the error of a trace that timed out in the queue. */
function waitedTooLong(milliseconds: number): LockstepError {
  return new LockstepError(
    'SERVER_BUSY',
    `trace waited ${formatDuration(milliseconds)} for a thread: server busy`,
    { data: { elapsed: formatDuration(milliseconds), phase: 'queue', key: 'evm.trace_timeout' } },
  )
}

function timedOut(milliseconds: number, phase: TracePhase): LockstepError {
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `trace timed out after ${formatDuration(milliseconds)}`,
    {
      data: {
        elapsed: formatDuration(milliseconds),
        phase,
        option: 'timeout',
        key: 'evm.trace_timeout',
      },
      hint: 'raise the timeout option, or evm.trace_timeout of the node',
    },
  )
}

/**
 * A longer result is streamed even if it is complete in memory: converting it to a string would block the main
 * thread.
 */
const MAX_WHOLE_BYTES = 256 * 1024

/** The JSON result of a trace. */
export type TraceResult = RawJson | JsonStream

export function traceResult({ limits }: RpcContext, output: TraceOutput): TraceResult {
  if (!(output instanceof Uint8Array)) return new JsonStream(output)
  // A result above the limit for unstreamed responses is streamed instead of rejected.
  const isShort = output.length <= Math.min(MAX_WHOLE_BYTES, limits.responseBytes)
  if (!isShort) return new JsonStream(whole(output))
  return new RawJson(Buffer.from(output.buffer, output.byteOffset, output.length).toString())
}

/** Runs a trace in the trace pool. */
export function startTrace(
  { context, caller }: MethodCall,
  tracer: string,
  { config, timeoutMs }: TraceRequestOptions,
  { job, view }: PreparedTrace,
): Promise<TraceOutput> {
  const { limits, traces } = context
  const limit = Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, limits.traceTimeoutMs)
  return traces.start({
    job: { ...job, tracer, config, limits: limits.trace },
    view,
    client: caller.account,
    waitMs: limits.traceTimeoutMs,
    timeoutMs: limit,
    expired: (phase) =>
      phase === 'queue' ? waitedTooLong(limits.traceTimeoutMs) : timedOut(limit, phase),
    signal: caller.signal,
  })
}

/** Traces the transactions of the pending block. Its traces are not cached, because it changes. */
export async function tracePending(
  call: MethodCall,
  tracer: string,
  options: TraceRequestOptions,
  target: TraceTarget,
): Promise<TraceResult> {
  const { context } = call
  const pending = await context.pendingBlocks.latest()
  const job = { plan: planPending(context, pending), target }
  const view = context.history.before(pending.block.header.number)
  return traceResult(context, await startTrace(call, tracer, options, { job, view }))
}

/** Runs a trace of a finished block, or returns its cached result, which never changes. */
export async function cachedTrace(
  call: MethodCall,
  tracer: string,
  options: TraceRequestOptions,
  height: number,
  part: string,
  prepare: () => PreparedTrace | Promise<PreparedTrace>,
): Promise<TraceResult> {
  const { context } = call
  const { history, traceCache } = context
  const { hash } = knownHeader(history, height)
  const key = `${formatData(hash)} ${part} ${tracer} ${JSON.stringify(options.config)}`
  // A script need not be deterministic.
  if (isScript(tracer))
    return traceResult(context, await startTrace(call, tracer, options, await prepare()))
  const known = traceCache.get(key)
  if (known !== undefined) return traceResult(context, known)
  const output = await startTrace(call, tracer, options, await prepare())
  if (!(output instanceof Uint8Array)) return new JsonStream(traceCache.collect(key, output))
  traceCache.keep(key, output)
  return traceResult(context, output)
}
