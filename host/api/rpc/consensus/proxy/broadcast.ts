import type { RouteArguments } from '../arguments.ts'
import { transactionOf } from '../broadcast.ts'
import type { RouteCaller } from '../context.ts'
import { formatBytes } from '../json.ts'
import type { ProxyContext } from './context.ts'

/**
 * Handles /broadcast_tx_commit through CometBFT, which submits the transaction to its mempool and waits with a
 * subscription. The call therefore occupies a subscription slot.
 */
export async function broadcastTxCommitProxied(
  { relay, slots }: ProxyContext,
  args: RouteArguments,
  caller: RouteCaller,
): Promise<object> {
  const leave = slots.enter()
  try {
    return await relay.call('broadcast_tx_commit', { tx: formatBytes(transactionOf(args)) }, caller)
  } finally {
    leave()
  }
}
