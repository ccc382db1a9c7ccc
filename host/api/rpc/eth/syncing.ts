import { formatQuantity } from '../../../base/hex.ts'
import type { RpcContext } from '../call/context.ts'

/** False, or how far a node is that catches up with those that it follows: eth_syncing. */
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
