import { LockstepError } from '../../../base/error.ts'
import { nobleRecovery } from '../../../evm/chain-types/noble-recovery.ts'
import { decodeTransaction } from '../../../evm/chain-types/transaction-codec.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
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
import { checkLookback, startTrace, type TraceResult, traceResult } from '../debug/run-trace.ts'
import { blockNotFound, requireStateHeight } from '../resolve/block-lookup.ts'
import { checkOverrides, refused, requestOf } from '../resolve/call-request.ts'
import { type AskedCall, optionsOf, REPLAY_TRACER } from './trace-types.ts'

/** Returns the height of the block whose state the traced calls use. */
function heightOf(context: RpcContext, block: BlockArgument): number {
  if (block.kind === 'pending') {
    throw new LockstepError('UNSUPPORTED', 'tracing on top of pending is not supported')
  }
  const height = requireStateHeight(context, block, blockNotFound)
  checkLookback(context, height)
  return height
}

interface CallOverrides {
  readonly state: readonly AccountOverride[]
  readonly block: BlockOverride | undefined
}

const NO_OVERRIDES: CallOverrides = { state: [], block: undefined }

function tracedCall(
  context: RpcContext,
  argument: CallArgument,
  height: number,
  overrides = NO_OVERRIDES,
): TracedCall {
  const { history, limits, rules } = context
  const request = requestOf(context, argument, height)
  const header = knownHeader(history, height)
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
  height: number,
  target: TraceTarget,
  traceTypes: readonly TraceType[],
): Promise<TraceResult> {
  const { context } = call
  const prepared = { job: { plan: undefined, target }, view: context.history.view(height) }
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
  const height = heightOf(context, block)
  const traced = tracedCall(context, argument, height, { state, block: blockOverride })
  return traceOn(call, height, { kind: 'call', call: traced }, traceTypes)
}

/** Returns the results of several calls, each on the state after the previous one. */
export async function traceCallMany(
  call: MethodCall,
  asked: readonly AskedCall[],
  block: BlockArgument,
): Promise<TraceResult> {
  const { context } = call
  const height = heightOf(context, block)
  const calls = []
  for (const { argument, types } of asked) {
    const config = { traceTypes: types }
    calls.push({ ...tracedCall(context, argument, height), config })
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  const hasSteps = asked.some(({ types }) => types.includes('vmTrace'))
  return traceOn(call, height, { kind: 'calls', calls }, hasSteps ? ['vmTrace'] : [])
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
  const { history, rules } = context
  const height = heightOf(context, block)
  const input = decodeTransaction(raw, nobleRecovery)
  if (input.chainId !== undefined && input.chainId !== rules.chainId) {
    throw refused(`chainId does not match node's (have=${input.chainId}, want=${rules.chainId})`)
  }
  const env = rules.envOf(knownHeader(history, height))
  const traced = { input, env, priced: true, stateOverrides: [] }
  return traceOn(call, height, { kind: 'call', call: traced }, traceTypes)
}
