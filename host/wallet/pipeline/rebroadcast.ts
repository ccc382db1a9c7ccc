import type { BroadcastResult, EvmNode } from './evm-node.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { StoredTransaction, TransactionStore } from './transaction-store.ts'

interface RebroadcastParts {
  readonly node: EvmNode
  readonly store: TransactionStore
  readonly progress: TransactionProgress
  readonly giveUpMs: number
  readonly now: () => number
}

/**
 * Broadcasts signed bytes again. If no node has accepted them before and this one rejects and does not know them, the
 * transaction has failed. Once accepted it stays open, as another pool may have it. Returns undefined if there is
 * nothing to send.
 */
export async function rebroadcast(
  { node, store, progress, giveUpMs, now }: RebroadcastParts,
  row: StoredTransaction,
): Promise<BroadcastResult | undefined> {
  const attempt = store.attempts(row.id).at(-1)
  if (attempt === undefined) return undefined
  const handed = await node.send(attempt.raw)
  if (handed.kind === 'taken') await progress.broadcasted(row.id)
  if (row.status !== 'pending') return handed
  if (handed.kind === 'refused') {
    if (await node.knows(attempt.hash)) await progress.broadcasted(row.id)
    else await progress.ended(row.id, 'failed', handed.reason)
  }
  const isOld = now() - (row.signed_at ?? 0) > giveUpMs
  if (handed.kind === 'unknown' && handed.isAnswer && isOld) {
    await progress.ended(row.id, 'provider_error', handed.reason)
  }
  return handed
}
