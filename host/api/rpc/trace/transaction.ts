import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import type { TraceType } from '../../../evm/trace/tracers/parity-tracer.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { checkTraceable, planContext, runOrRecall, type TraceAnswer } from '../debug/run-trace.ts'
import type { TraceOptions } from '../debug/trace-options.ts'
import { locate } from '../resolve/block-reader.ts'
import { LIST_TRACER, optionsOf, REPLAY_TRACER } from './trace-types.ts'

/** Runs a tracer of this namespace on the transaction at a place. */
function traceAt(
  call: RpcCall,
  { height, index }: { readonly height: number; readonly index: number },
  tracer: string,
  options: TraceOptions,
): Promise<TraceAnswer> {
  const { context } = call
  checkTraceable(context, height)
  return runOrRecall(call, tracer, options, height, String(index), () => ({
    job: {
      plan: planReplay(planContext(context), height, index + 1),
      target: { kind: 'transaction' },
    },
    view: context.history.before(height),
  }))
}

/** Returns the frames of a transaction; null if it is not mined. */
export function traceTransaction(call: RpcCall, hash: Uint8Array): null | Promise<TraceAnswer> {
  const place = call.context.chain.locate(hash)
  return place === undefined ? null : traceAt(call, place, LIST_TRACER, optionsOf({}))
}

/** Returns the frame at a position in the call tree of a transaction; null if there is none. */
export function traceGet(
  call: RpcCall,
  hash: Uint8Array,
  traceAddress: readonly number[],
): null | Promise<TraceAnswer> {
  const place = call.context.chain.locate(hash)
  return place === undefined ? null : traceAt(call, place, LIST_TRACER, optionsOf({ traceAddress }))
}

/** Returns {output, stateDiff, trace, vmTrace} of a mined transaction. @throws NOT_FOUND */
export function replayTransaction(
  call: RpcCall,
  hash: Uint8Array,
  traceTypes: readonly TraceType[],
): Promise<TraceAnswer> {
  return traceAt(call, locate(call.context, hash), REPLAY_TRACER, optionsOf({ traceTypes }))
}
