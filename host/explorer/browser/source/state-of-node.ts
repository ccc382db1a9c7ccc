import { LockstepError } from '../../../base/error.ts'
import { parseNodeAddress } from '../../../client/remote-node/node-address.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import { askingView, readState } from '../state-read.ts'
import type { NodeStateOptions } from './node-state.ts'

/**
 * The state of a node after block `height`, for what an edited transaction reads and its bundle has not recorded:
 * given the parent's height, it lacks what the transactions before it in its block have changed. What was read is
 * kept. Its reads throw STATE_PRUNED where the node keeps no such state, LIMIT_EXCEEDED, and what asking throws.
 * @throws INVALID_ARGUMENT
 */
export function stateOfNode(
  url: string,
  height: number,
  options: NodeStateOptions = {},
): AsyncStateView {
  if (!Number.isSafeInteger(height) || height < 0) {
    throw new LockstepError('INVALID_ARGUMENT', `height: want a number of a block, got ${height}`)
  }
  parseNodeAddress(url)
  let state: Promise<AsyncStateView> | undefined
  return askingView(async (read) => {
    // Loaded with the first read: most pages make none
    state ??= import('./node-state.ts').then(({ openNodeState }) =>
      openNodeState(url, height, options),
    )
    return readState(read, await state)
  })
}
