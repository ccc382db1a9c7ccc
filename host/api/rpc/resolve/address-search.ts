import { LockstepError } from '../../../base/error.ts'
import type { RpcContext, SearchableIndex } from '../call/context.ts'

/** Milliseconds that a search waits for blocks that have only just been made. */
const LONGEST_WAIT_MS = 5_000

/**
 * The index of transactions by address, once it has all blocks that there are now.
 * @throws UNSUPPORTED where it is off, SERVER_BUSY where it is behind the chain, ENGINE_FAULT where it has stopped
 */
export async function wholeIndex({
  addressIndex,
  chain,
  limits,
}: RpcContext): Promise<SearchableIndex> {
  if (addressIndex === undefined) {
    throw new LockstepError('UNSUPPORTED', 'the address index is off: set evm.address_index', {
      data: { key: 'evm.address_index' },
      hint: 'set evm.address_index = true and start the node again: it indexes the blocks that it has',
    })
  }
  await addressIndex.reach(chain.latest, Math.min(LONGEST_WAIT_MS, limits.methodTimeoutMs))
  return addressIndex
}
