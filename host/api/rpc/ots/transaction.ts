import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { cachedTrace, checkTraceable, planContext, type TraceResult } from '../debug/run-trace.ts'
import { NO_TRACE_OPTIONS } from '../debug/trace-options.ts'
import { locate } from '../resolve/block-reader.ts'

/** Tracers that implement the methods of this namespace. */
export type OtsTracer = 'otsTraceTracer' | 'otsOperationsTracer' | 'otsErrorTracer'

/** Runs a tracer on a mined transaction. @throws NOT_FOUND if it is not mined */
export function traceMined(
  call: MethodCall,
  hash: Uint8Array,
  tracer: OtsTracer,
): Promise<TraceResult> {
  const { context } = call
  const { height, index } = locate(context, hash)
  checkTraceable(context, height)
  return cachedTrace(call, tracer, NO_TRACE_OPTIONS, height, String(index), () => ({
    job: {
      plan: planReplay(planContext(context), height, index + 1),
      target: { kind: 'transaction' },
    },
    view: context.history.before(height),
  }))
}

/** Returns the revert data of a transaction; does not replay a successful one. */
export async function getTransactionError(call: MethodCall, hash: Uint8Array): Promise<unknown> {
  const { chain } = call.context
  const { height, index } = locate(call.context, hash)
  const isSuccess = chain.receipt(height, index)?.receipt.status === 1
  return isSuccess ? '0x' : traceMined(call, hash, 'otsErrorTracer')
}
