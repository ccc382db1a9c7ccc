import { LockstepError } from '../../../base/error.ts'
import type { RpcContext, SearchableIndex } from '../call/context.ts'

/** Milliseconds that a search waits for the index to reach the latest blocks. */
const LONGEST_WAIT_MS = 5_000

/**
 * Returns the address index once it contains all current blocks.
 * @throws UNSUPPORTED if it is off, SERVER_BUSY if it is behind the chain, ENGINE_FAULT if it has stopped
 */
export async function completeIndex({
  addressIndex,
  chain,
  limits,
}: RpcContext): Promise<SearchableIndex> {
  if (addressIndex === undefined) {
    throw new LockstepError('UNSUPPORTED', 'the address index is off: set evm.address_index', {
      data: { key: 'evm.address_index' },
      hint: 'set evm.address_index = true and restart the node: it indexes existing blocks as well',
    })
  }
  await addressIndex.reach(chain.latest, Math.min(LONGEST_WAIT_MS, limits.methodTimeoutMs))
  return addressIndex
}
