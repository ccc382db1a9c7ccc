import { LockstepError } from '../../../base/error.ts'
import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import {
  callMessage,
  overriddenEnv,
  simulationCap,
} from '../../../evm/execute/simulate/call-message.ts'
import { movePrecompiles } from '../../../evm/execute/simulate/moved-precompiles.ts'
import { type BegunProfile, wallClock } from '../../../evm/trace/job/profile.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { CallArgument } from '../argument/call-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireHeight } from '../resolve/block-lookup.ts'
import { locate } from '../resolve/block-reader.ts'
import { checkOverrides, requestOf } from '../resolve/call-request.ts'
import {
  cachedTrace,
  checkTraceable,
  checkTracer,
  planContext,
  planPending,
  startTrace,
  type TraceResult,
  tracedBase,
  tracePending,
  traceResult,
} from './run-trace.ts'
import type { TraceCallOptions, TraceRequestOptions } from './trace-options.ts'

export async function debugTraceTransaction(
  call: MethodCall,
  hash: Uint8Array,
  options: TraceRequestOptions,
): Promise<TraceResult> {
  const { context } = call
  const tracer = checkTracer(context, options)
  const { height, index } = locate(context, hash)
  checkTraceable(context, height)
  return cachedTrace(call, tracer, options, height, String(index), () => ({
    job: {
      plan: planReplay(planContext(context), height, index + 1),
      target: { kind: 'transaction' },
    },
    view: context.history.before(height),
  }))
}

export async function debugTraceBlock(
  call: MethodCall,
  block: BlockArgument,
  options: TraceRequestOptions,
): Promise<TraceResult> {
  const { context } = call
  const tracer = checkTracer(context, options)
  if (block.kind === 'pending') return tracePending(call, tracer, options, { kind: 'block' })
  const height = requireHeight(context, block, blockNotFound)
  checkTraceable(context, height)
  return cachedTrace(call, tracer, options, height, 'all', () => ({
    job: { plan: planReplay(planContext(context), height), target: { kind: 'block' } },
    view: context.history.before(height),
  }))
}

/** Traces a call on the state after a block, or after its first transactions. */
export async function debugTraceCall(
  call: MethodCall,
  argument: CallArgument,
  block: BlockArgument,
  options: TraceCallOptions,
): Promise<TraceResult> {
  const { context } = call
  const tracer = checkTracer(context, options)
  checkOverrides(context, options.stateOverrides)
  const { height, header, view, pending } = await tracedBase(context, block)
  const { history, limits, rules } = context
  const request = requestOf(context, argument, height)
  const asked = overriddenEnv(rules.envOf(header), options.blockOverrides)
  const env = movePrecompiles(asked, options.stateOverrides, context.keccak256)
  // The nonce is not checked; a creation uses the account's nonce.
  const cap = simulationCap(limits.simulationGas, header)
  const { input, env: seen, priced } = callMessage(request, env, 0n, cap)
  const { stateOverrides, txIndex } = options
  const target = { kind: 'call', call: { input, env: seen, priced, stateOverrides } } as const
  if (txIndex === undefined) {
    const job = { plan: undefined, target }
    return traceResult(context, await startTrace(call, tracer, options, { job, view }))
  }
  const plan =
    pending === undefined
      ? planReplay(planContext(context), height, txIndex)
      : planPending(context, pending, txIndex)
  const count = (pending?.block ?? history.block(height))?.transactions.length ?? 0
  if (txIndex > 0 && txIndex >= count) {
    throw new LockstepError(
      'NOT_FOUND',
      `transaction index ${txIndex} out of range for block #${header.number}`,
    )
  }
  const prepared = { job: { plan, target }, view: history.before(header.number) }
  return traceResult(context, await startTrace(call, tracer, options, prepared))
}

/** Handles debug_traceTransaction with a time profile. Never cached, because the times are the result. */
export async function traceTransactionProfile(
  call: MethodCall,
  hash: Uint8Array,
  options: TraceRequestOptions,
): Promise<TraceResult> {
  const { context } = call
  const startedAt = wallClock()
  const tracer = checkTracer(context, options)
  const { height, index } = locate(context, hash)
  checkTraceable(context, height)
  const located = wallClock()
  const plan = planReplay(planContext(context), height, index + 1)
  const loaded = wallClock()
  const view = context.history.before(height)
  const profile: BegunProfile = {
    startedAt,
    lookupTransactionNanos: Math.round((located - startedAt) * 1e6),
    loadBlockNanos: Math.round((loaded - located) * 1e6),
    buildBlockContextNanos: Math.round((wallClock() - loaded) * 1e6),
  }
  const job = { plan, target: { kind: 'transaction', profile } } as const
  return traceResult(context, await startTrace(call, tracer, options, { job, view }))
}
