import { nobleRecovery } from '../../../evm/chain-types/noble-recovery.ts'
import { decodeTransaction } from '../../../evm/chain-types/transaction-codec.ts'
import {
  type BlockOverride,
  callMessage,
  overriddenEnv,
  simulationCap,
} from '../../../evm/execute/simulate/call-message.ts'
import { movePrecompiles } from '../../../evm/execute/simulate/moved-precompiles.ts'
import type { AccountOverride } from '../../../evm/execute/simulate/overlay-view.ts'
import type { TracedCall, TraceTarget } from '../../../evm/trace/job/trace-job.ts'
import type { TraceType } from '../../../evm/trace/tracers/parity-tracer.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { CallArgument } from '../argument/call-argument.ts'
import type { RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import {
  startTrace,
  type TracedBase,
  type TraceResult,
  tracedBase,
  traceResult,
} from '../debug/run-trace.ts'
import { checkOverrides, refused, requestOf } from '../resolve/call-request.ts'
import { type AskedCall, optionsOf, REPLAY_TRACER } from './trace-types.ts'

interface CallOverrides {
  readonly state: readonly AccountOverride[]
  readonly block: BlockOverride | undefined
}

const NO_OVERRIDES: CallOverrides = { state: [], block: undefined }

function tracedCall(
  context: RpcContext,
  argument: CallArgument,
  { height, header }: TracedBase,
  overrides = NO_OVERRIDES,
): TracedCall {
  const { limits, rules } = context
  const request = requestOf(context, argument, height)
  const asked = overriddenEnv(rules.envOf(header), overrides.block)
  const env = movePrecompiles(asked, overrides.state, context.keccak256)
  // The nonce is not checked; a creation uses the account's nonce.
  const cap = simulationCap(limits.simulationGas, header)
  const message = callMessage(request, env, 0n, cap)
  return {
    input: message.input,
    env: message.env,
    priced: message.priced,
    stateOverrides: overrides.state,
  }
}

async function traceOn(
  call: MethodCall,
  { view }: TracedBase,
  target: TraceTarget,
  traceTypes: readonly TraceType[],
): Promise<TraceResult> {
  const { context } = call
  const prepared = { job: { plan: undefined, target }, view }
  const output = await startTrace(call, REPLAY_TRACER, optionsOf({ traceTypes }), prepared)
  return traceResult(context, output)
}

/** Returns {output, stateDiff, trace, vmTrace} of a call on the state after a block. */
export async function parityTraceCall(
  call: MethodCall,
  argument: CallArgument,
  traceTypes: readonly TraceType[],
  block: BlockArgument,
  state: readonly AccountOverride[],
  blockOverride: BlockOverride | undefined,
): Promise<TraceResult> {
  const { context } = call
  checkOverrides(context, state)
  const base = await tracedBase(context, block)
  const traced = tracedCall(context, argument, base, { state, block: blockOverride })
  return traceOn(call, base, { kind: 'call', call: traced }, traceTypes)
}

/** Returns the results of several calls, each on the state after the previous one. */
export async function traceCallMany(
  call: MethodCall,
  asked: readonly AskedCall[],
  block: BlockArgument,
): Promise<TraceResult> {
  const { context } = call
  const base = await tracedBase(context, block)
  const calls = []
  for (const { argument, types } of asked) {
    const config = { traceTypes: types }
    calls.push({ ...tracedCall(context, argument, base), config })
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  const hasSteps = asked.some(({ types }) => types.includes('vmTrace'))
  return traceOn(call, base, { kind: 'calls', calls }, hasSteps ? ['vmTrace'] : [])
}

/**
 * Returns {output, stateDiff, trace, vmTrace} of a signed transaction on the state after a block, without sending it.
 * Accepts any nonce; charges the fees.
 */
export async function traceRawTransaction(
  call: MethodCall,
  raw: Uint8Array,
  traceTypes: readonly TraceType[],
  block: BlockArgument,
): Promise<TraceResult> {
  const { context } = call
  const { rules } = context
  const base = await tracedBase(context, block)
  const input = decodeTransaction(raw, nobleRecovery)
  if (input.chainId !== undefined && input.chainId !== rules.chainId) {
    throw refused(`chainId does not match node's (have=${input.chainId}, want=${rules.chainId})`)
  }
  const env = rules.envOf(base.header)
  const traced = { input, env, priced: true, stateOverrides: [] }
  return traceOn(call, base, { kind: 'call', call: traced }, traceTypes)
}
