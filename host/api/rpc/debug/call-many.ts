import { LockstepError } from '../../../base/error.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import {
  callMessage,
  overriddenEnv,
  simulationCap,
} from '../../../evm/execute/simulate/call-message.ts'
import { movePrecompiles } from '../../../evm/execute/simulate/moved-precompiles.ts'
import type { AccountOverride } from '../../../evm/execute/simulate/overlay-view.ts'
import type { TracedCall } from '../../../evm/trace/job/trace-job.ts'
import type { CallBundle, StateContext } from '../argument/bundle-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireStateHeight } from '../resolve/block-lookup.ts'
import { checkOverrides, requestOf } from '../resolve/call-request.ts'
import {
  checkLookback,
  checkTracer,
  planContext,
  startTrace,
  type TraceResult,
  traceResult,
} from './run-trace.ts'
import {
  NO_TRACE_OPTIONS,
  type TraceCallOptions,
  type TraceRequestOptions,
} from './trace-options.ts'

const OUTCOME_TRACER = 'outcomeTracer'

/** As in Erigon: one block higher and one second later. The overrides of a block also hold in those after it. */
function blockAfter(env: BlockEnv): BlockEnv {
  const { timestamp } = env
  return {
    ...env,
    number: env.number + 1,
    timestamp: typeof timestamp === 'bigint' ? timestamp + 1n : timestamp + 1,
  }
}

/** Traces bundles of calls on the state after a block, or after its first transactions. */
async function traceBundles(
  call: MethodCall,
  tracer: string,
  bundles: readonly CallBundle[],
  { block, txIndex }: StateContext,
  stateOverrides: readonly AccountOverride[],
  options: TraceRequestOptions,
): Promise<TraceResult> {
  const { context } = call
  if (block.kind === 'pending') {
    throw new LockstepError('UNSUPPORTED', 'tracing on top of pending is not supported')
  }
  checkOverrides(context, stateOverrides)
  const height = requireStateHeight(context, block, blockNotFound)
  checkLookback(context, height)
  const { history, limits, rules } = context
  const header = knownHeader(history, height)
  const cap = simulationCap(limits.simulationGas, header)
  const own = movePrecompiles(rules.envOf(header), stateOverrides, context.keccak256)
  let env = own
  const traced: TracedCall[][] = []
  for (const { calls, overrides } of bundles) {
    env = overriddenEnv(env, overrides)
    const messages: TracedCall[] = []
    for (const argument of calls) {
      // The nonce is not checked; a creation uses the account's nonce.
      const message = callMessage(requestOf(context, argument, height), env, 0n, cap)
      const { input, env: seen, priced } = message
      messages.push({ input, env: seen, priced, stateOverrides: [] })
      const turn = call.yield()
      if (turn !== undefined) await turn
    }
    traced.push(messages)
    env = blockAfter(env)
  }
  const target = { kind: 'bundles', bundles: traced, stateOverrides } as const
  const count = history.block(height)?.transactions.length ?? 0
  if (txIndex !== undefined && txIndex > count) {
    const text = `transaction index ${txIndex} out of range for block #${height}`
    throw new LockstepError('NOT_FOUND', text)
  }
  const prepared =
    txIndex === undefined
      ? { job: { plan: undefined, target }, view: history.view(height) }
      : {
          job: { plan: planReplay(planContext(context), height, txIndex), target },
          view: history.before(height),
        }
  return traceResult(context, await startTrace(call, tracer, options, prepared))
}

/** Returns for each bundle a list of {value}, or {error, data?} of calls that failed. */
export function callMany(
  call: MethodCall,
  bundles: readonly CallBundle[],
  state: StateContext,
  stateOverrides: readonly AccountOverride[],
  timeoutMs: number | undefined,
): Promise<TraceResult> {
  // In Erigon 0 is no limit of its own.
  const options = { ...NO_TRACE_OPTIONS, timeoutMs: timeoutMs === 0 ? undefined : timeoutMs }
  return traceBundles(call, OUTCOME_TRACER, bundles, state, stateOverrides, options)
}

/** Returns for each bundle a list of the results of the tracer. */
export async function debugTraceCallMany(
  call: MethodCall,
  bundles: readonly CallBundle[],
  state: StateContext,
  options: TraceCallOptions,
): Promise<TraceResult> {
  if (options.blockOverrides !== undefined || options.txIndex !== undefined) {
    const [option, instead] =
      options.txIndex === undefined
        ? ['blockOverrides', 'blockOverride of a bundle']
        : ['txIndex', 'transactionIndex of the state context']
    const text = `trace option "${option}" is not supported for this RPC method`
    throw new LockstepError('REFUSED_ARGUMENT', text, { hint: `use ${instead}` })
  }
  const tracer = checkTracer(call.context, options)
  return traceBundles(call, tracer, bundles, state, options.stateOverrides, options)
}
