import { LockstepError } from '../../../base/error.ts'
import type { RunCosts } from '../../../evm/execute/replay/replay-onto.ts'
import type { ImportedChain, RpcContext } from '../call/context.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { simulationDeadline } from '../resolve/call-request.ts'

/**
 * The parts that only an imported chain has; `lacks` says what this node's own has not, and `instead` what may be
 * asked there.
 * @throws UNSUPPORTED
 */
export function requireImported(
  { imported }: RpcContext,
  lacks: string,
  instead: string,
): ImportedChain {
  if (imported !== undefined) return imported
  throw new LockstepError('UNSUPPORTED', `${lacks} on this chain: ${instead}`)
}

/** Runs finished blocks again, for no longer than a simulation may take. */
export function rerun<Result>(
  call: RpcCall,
  work: (costs: RunCosts) => Promise<Result>,
): Promise<Result> {
  return work({ signal: simulationDeadline(call.context), turn: () => call.turn() })
}
