import { LockstepError } from '../../../base/error.ts'
import { parseNodeAddress } from '../../../client/remote-node/node-address.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import { askingView, readStateValue } from '../edit/state-read.ts'
import type { NodeStateOptions } from './node-state.ts'

/**
 * Returns the state of a node after block `height`, for reads of an edited transaction that its bundle has not
 * recorded. At the parent's height it lacks the changes of earlier transactions in the block. Values are cached.
 * Reads throw STATE_PRUNED if the node has no such state, LIMIT_EXCEEDED, and what the request throws.
 * @throws INVALID_ARGUMENT
 */
export function stateOfNode(
  url: string,
  height: number,
  options: NodeStateOptions = {},
): AsyncStateView {
  if (!Number.isSafeInteger(height) || height < 0) {
    throw new LockstepError('INVALID_ARGUMENT', `height: want a block number, got ${height}`)
  }
  parseNodeAddress(url)
  let state: Promise<AsyncStateView> | undefined
  return askingView(async (read) => {
    // Loaded at the first read: most pages make none.
    state ??= import('./node-state.ts').then(({ openNodeState }) =>
      openNodeState(url, height, options),
    )
    return readStateValue(read, await state)
  })
}
