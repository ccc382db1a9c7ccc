import type { Hex } from '../../base/hex.ts'
import type {
  SenderEnd,
  SenderStore,
  WaitingTransaction,
} from '../../client/transaction-sender/sender-ports.ts'
import type { IncludedTransaction } from './evm-node.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { StoredTransaction, TransactionStore } from './transaction-store.ts'

const STATUS: Readonly<Record<SenderEnd, 'failed' | 'replaced' | 'provider_error'>> = {
  refused: 'failed',
  displaced: 'failed',
  replaced: 'replaced',
  stranded: 'failed',
  unanswered: 'provider_error',
}

/** Returns the transactions of one wallet on one chain, as its sender sees them. */
export function accountTransactions(
  caip2: string,
  address: Hex,
  store: TransactionStore,
  progress: TransactionProgress,
): SenderStore<IncludedTransaction> {
  return {
    waiting: (limit) => store.waiting(caip2, address, limit).map(toWaiting),
    waitingAt: (nonce) => store.waitingAt(caip2, address, nonce).map(toWaiting),
    attempts: (id) => store.attempts(id),
    attemptsAt: (nonce) =>
      store.attemptsAt(caip2, address, nonce).map(({ transaction_id: id, hash }) => ({ id, hash })),
    executedUpTo: () => store.executedUpTo(caip2, address),
    accepted: (id) => progress.broadcasted(id),
    included: (id, hash, inclusion) => progress.executed(id, hash, inclusion),
    missed: (id, count) => progress.missed(id, count),
    ended: (id, end, reason) => {
      const because = end === 'stranded' ? 'the development chain was rolled back: ' : ''
      return progress.ended(id, STATUS[end], because + reason)
    },
  }
}

function toWaiting(row: StoredTransaction): WaitingTransaction {
  const { id, nonce, status, missed, signed_at: signedAt } = row
  return {
    id,
    nonce: nonce ?? 0,
    isAccepted: status !== 'pending',
    missed,
    signedAt: signedAt ?? 0,
  }
}
