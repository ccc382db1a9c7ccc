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

/** The transactions of one wallet on one chain, as its sender sees them. */
export class AccountTransactions implements SenderStore<IncludedTransaction> {
  readonly #caip2: string
  readonly #address: Hex
  readonly #store: TransactionStore
  readonly #progress: TransactionProgress

  constructor(caip2: string, address: Hex, store: TransactionStore, progress: TransactionProgress) {
    this.#caip2 = caip2
    this.#address = address
    this.#store = store
    this.#progress = progress
  }

  waiting(limit: number) {
    return this.#store.waiting(this.#caip2, this.#address, limit).map(toWaiting)
  }

  waitingAt(nonce: number) {
    return this.#store.waitingAt(this.#caip2, this.#address, nonce).map(toWaiting)
  }

  attempts(id: string) {
    return this.#store.attempts(id)
  }

  attemptsAt(nonce: number) {
    const attempts = this.#store.attemptsAt(this.#caip2, this.#address, nonce)
    return attempts.map(({ transaction_id: id, hash }) => ({ id, hash }))
  }

  executedUpTo() {
    return this.#store.executedUpTo(this.#caip2, this.#address)
  }

  accepted(id: string) {
    return this.#progress.broadcasted(id)
  }

  included(id: string, hash: Hex, inclusion: IncludedTransaction) {
    return this.#progress.executed(id, hash, inclusion)
  }

  missed(id: string, count: number) {
    return this.#progress.missed(id, count)
  }

  ended(id: string, end: SenderEnd, reason: string) {
    const because = end === 'stranded' ? 'the development chain was rolled back: ' : ''
    return this.#progress.ended(id, STATUS[end], because + reason)
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
