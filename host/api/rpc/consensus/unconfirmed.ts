import type { RouteArguments } from './arguments.ts'
import type { ConsensusRpcContext } from './context.ts'
import { pageSize } from './height.ts'
import { formatBytes } from './json.ts'

/** Handles /num_unconfirmed_txs. */
export function countUnconfirmed(context: ConsensusRpcContext): object {
  const { count, bytes } = context.unconfirmedTransactions()
  return { n_txs: String(count), total: String(count), total_bytes: String(bytes), txs: null }
}

/** Handles /unconfirmed_txs: executable transactions first, those of a sender in nonce order. */
export function listUnconfirmed(context: ConsensusRpcContext, args: RouteArguments): object {
  const limit = pageSize(args.integer('limit'))
  const { count, bytes } = context.unconfirmedTransactions()
  const txs: string[] = []
  for (const part of [context.pool.pending(), context.pool.queued()]) {
    for (const { transactions } of part) {
      if (txs.length === limit) break
      for (const { raw } of transactions.slice(0, limit - txs.length)) txs.push(formatBytes(raw))
    }
  }
  return { n_txs: String(txs.length), total: String(count), total_bytes: String(bytes), txs }
}
