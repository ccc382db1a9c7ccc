import type { Arguments } from '../arguments.ts'
import { transactionOf } from '../broadcast.ts'
import type { RouteCaller } from '../context.ts'
import { formatBytes } from '../json.ts'
import type { ProxyContext } from './context.ts'

/**
 * /broadcast_tx_commit: CometBFT gives the transaction to its mempool, which asks this node's for it, and waits by a
 * subscription, which takes the place of one.
 */
export async function broadcastTxCommit(
  { relay, slots }: ProxyContext,
  args: Arguments,
  caller: RouteCaller,
): Promise<object> {
  const leave = slots.enter()
  try {
    return await relay.call('broadcast_tx_commit', { tx: formatBytes(transactionOf(args)) }, caller)
  } finally {
    leave()
  }
}
