import { LockstepError } from '../../../base/error.ts'
import type { ReplayControl } from '../../../evm/execute/replay/replay-onto.ts'
import type { ImportedChain, RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { simulationDeadline } from './call-request.ts'

/**
 * Returns the components of an imported chain.
 * @param lacks what a native chain does not provide
 * @param instead what to call there
 * @throws UNSUPPORTED on a native chain
 */
export function requireImported(
  { imported }: RpcContext,
  lacks: string,
  instead: string,
): ImportedChain {
  if (imported !== undefined) return imported
  throw new LockstepError('UNSUPPORTED', `${lacks} on this chain: ${instead}`)
}

/** Replays finished blocks within the time limit of a simulation. */
export function replayInTime<Result>(
  call: MethodCall,
  work: (costs: ReplayControl) => Promise<Result>,
): Promise<Result> {
  return work({ signal: simulationDeadline(call.context), turn: () => call.yield() })
}
