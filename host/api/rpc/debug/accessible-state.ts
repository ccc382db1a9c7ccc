import { LockstepError } from '../../../base/error.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'

/**
 * Returns the first height from `from` to `to`, exclusive, whose state can be read. As in geth, the search may go
 * backwards, and tags other than `earliest` mean the latest block.
 * @throws REFUSED_ARGUMENT, NOT_FOUND with geth's messages
 */
export function getAccessibleState(
  { context }: MethodCall,
  from: BlockArgument,
  to: BlockArgument,
): number {
  const { chain, state } = context
  const heightOf = (block: BlockArgument) => {
    if (block.kind === 'height') return block.height
    return block.kind === 'earliest' ? 0 : chain.latest
  }
  const start = heightOf(from)
  const end = heightOf(to)
  if (start === end) {
    throw new LockstepError('REFUSED_ARGUMENT', 'from and to needs to be different')
  }
  if (start > chain.latest) throw new LockstepError('NOT_FOUND', `missing header ${start}`)
  const lowest = state.firstWithEvm
  // All states from the lowest one on can be read.
  const first = start < end ? Math.max(start, lowest) : start
  const isFound = first >= lowest && (start < end ? first < end && first <= chain.latest : true)
  if (isFound) return first
  throw new LockstepError('NOT_FOUND', 'no state found')
}
