import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import type { TraceType } from '../../../evm/trace/tracers/parity-tracer.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { cachedTrace, checkTraceable, planContext, type TraceResult } from '../debug/run-trace.ts'
import type { TraceRequestOptions } from '../debug/trace-options.ts'
import { locate } from '../resolve/block-reader.ts'
import { LIST_TRACER, optionsOf, REPLAY_TRACER } from './trace-types.ts'

/** Runs a tracer of this namespace on the transaction at a place. */
function traceAt(
  call: MethodCall,
  { height, index }: { readonly height: number; readonly index: number },
  tracer: string,
  options: TraceRequestOptions,
): Promise<TraceResult> {
  const { context } = call
  checkTraceable(context, height)
  return cachedTrace(call, tracer, options, height, String(index), () => ({
    job: {
      plan: planReplay(planContext(context), height, index + 1),
      target: { kind: 'transaction' },
    },
    view: context.history.before(height),
  }))
}

/** Returns the frames of a transaction; null if it is not mined. */
export function parityTraceTransaction(
  call: MethodCall,
  hash: Uint8Array,
): null | Promise<TraceResult> {
  const place = call.context.chain.locate(hash)
  return place === undefined ? null : traceAt(call, place, LIST_TRACER, optionsOf({}))
}

/** Returns the frame at a position in the call tree of a transaction; null if there is none. */
export function traceGet(
  call: MethodCall,
  hash: Uint8Array,
  traceAddress: readonly number[],
): null | Promise<TraceResult> {
  const place = call.context.chain.locate(hash)
  return place === undefined ? null : traceAt(call, place, LIST_TRACER, optionsOf({ traceAddress }))
}

/** Returns {output, stateDiff, trace, vmTrace} of a mined transaction. @throws NOT_FOUND */
export function replayTransaction(
  call: MethodCall,
  hash: Uint8Array,
  traceTypes: readonly TraceType[],
): Promise<TraceResult> {
  return traceAt(call, locate(call.context, hash), REPLAY_TRACER, optionsOf({ traceTypes }))
}
