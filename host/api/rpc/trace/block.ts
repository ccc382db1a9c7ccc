import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import type { TraceType } from '../../../evm/trace/tracers/parity-tracer.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import {
  cachedTrace,
  checkTraceable,
  planContext,
  type TraceResult,
  tracePending,
} from '../debug/run-trace.ts'
import { blockNotFound, findHeight, requireHeight } from '../resolve/block-lookup.ts'
import { rewardTraces } from './rewards.ts'
import { LIST_TRACER, optionsOf, REPLAY_TRACER } from './trace-types.ts'

/** Returns the frames of all transactions of a block, then its rewards; null if the block does not exist. */
export function parityTraceBlock(
  call: MethodCall,
  block: BlockArgument,
): null | readonly never[] | Promise<TraceResult> {
  const { context } = call
  if (block.kind === 'pending') {
    return tracePending(call, LIST_TRACER, optionsOf({}), { kind: 'list', list: { tail: [] } })
  }
  const height = findHeight(context, block)
  if (height === undefined) return null
  // Genesis executes nothing.
  if (height === 0) return []
  checkTraceable(context, height)
  return cachedTrace(call, LIST_TRACER, optionsOf({}), height, 'list', () => ({
    job: {
      plan: planReplay(planContext(context), height),
      target: { kind: 'list', list: { tail: rewardTraces(context, height) } },
    },
    view: context.history.before(height),
  }))
}

/** Returns {output, stateDiff, trace, vmTrace, transactionHash} of each transaction of a block. */
export function replayBlockTransactions(
  call: MethodCall,
  block: BlockArgument,
  traceTypes: readonly TraceType[],
): readonly never[] | Promise<TraceResult> {
  const { context } = call
  const options = optionsOf({ traceTypes, hasHash: true })
  if (block.kind === 'pending') {
    return tracePending(call, REPLAY_TRACER, options, { kind: 'replays' })
  }
  const height = requireHeight(context, block, blockNotFound)
  if (height === 0) return []
  checkTraceable(context, height)
  return cachedTrace(call, REPLAY_TRACER, options, height, 'replays', () => ({
    job: { plan: planReplay(planContext(context), height), target: { kind: 'replays' } },
    view: context.history.before(height),
  }))
}
