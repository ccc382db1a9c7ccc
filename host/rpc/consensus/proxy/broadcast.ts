import type { Arguments } from '../arguments.ts'
import { transactionOf } from '../broadcast.ts'
import type { RouteCaller } from '../context.ts'
import { formatBytes } from '../json.ts'
import type { ProxyContext } from './context.ts'

/** A route that hands a transaction to CometBFT, whose mempool asks this node's for it. */
export function broadcast(method: string) {
  return ({ relay }: ProxyContext, args: Arguments, caller: RouteCaller): Promise<object> =>
    relay.call(method, { tx: formatBytes(transactionOf(args)) }, caller)
}

/** /broadcast_tx_commit: waits by a subscription, and takes the place of one. */
export async function broadcastTxCommit(
  context: ProxyContext,
  args: Arguments,
  caller: RouteCaller,
): Promise<object> {
  const leave = context.slots.enter()
  try {
    return await broadcast('broadcast_tx_commit')(context, args, caller)
  } finally {
    leave()
  }
}
