import { formatQuantity } from '../../../base/hex.ts'
import type { RpcContext } from '../call/context.ts'

/** Handles eth_syncing: returns false, or the progress of a node that catches up with its peers. */
export function syncing({ sync, chain }: Pick<RpcContext, 'sync' | 'chain'>): false | object {
  const { isCatchingUp, startingHeight, maxPeerHeight } = sync()
  const current = Math.max(chain.latest, 0)
  if (!isCatchingUp) return false
  return {
    startingBlock: formatQuantity(startingHeight),
    currentBlock: formatQuantity(current),
    highestBlock: formatQuantity(Math.max(maxPeerHeight, current)),
  }
}
