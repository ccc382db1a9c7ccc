import type { Transaction } from '../../chain-types/transaction.ts'
import type { PendingSource } from '../../execute/candidates.ts'
import type { CheckedTransaction } from './checked-transaction.ts'

/** Transactions of one sender in nonce order. */
export interface PooledSender {
  readonly sender: Uint8Array
  readonly transactions: readonly Transaction[]
}

/** How a transaction is added. */
export interface AddOptions {
  /** It is sent in the name of its sender, without a signature (`chain-types/impersonation.ts`). */
  readonly isImpersonated?: boolean
  /** Whose signature it has, 20 bytes: the caller has made it, so that it is taken in the same turn. */
  readonly signer?: Uint8Array
  /** What a thread of the node has found out about it, which is not done again. */
  readonly checked?: CheckedTransaction | undefined
  /** Called in the turn in which a block may take it, which is before it would survive a crash. */
  readonly onAdmitted?: (transaction: Transaction) => void
}

/** Transactions waiting for a block, as the RPC sees them. */
export interface TransactionPool extends PendingSource {
  /**
   * Checks and adds a transaction in network encoding; resolves with its hash once it would survive a
   * crash of the process. One that is impersonated is taken only from who says so: the caller has made it.
   * @throws TRANSACTION_REJECTED with geth's text.
   */
  add(raw: Uint8Array, options?: AddOptions): Promise<Uint8Array>
  /**
   * Checks a transaction as `add` does, and adds nothing; that the pool is full is no refusal here.
   * @throws TRANSACTION_REJECTED with geth's text.
   */
  check(raw: Uint8Array): Promise<Transaction>
  get(hash: Uint8Array): Transaction | undefined
  /** The sender's next nonce, counting its executable transactions in the pool. */
  nextNonce(sender: Uint8Array): bigint
  /** Number of executable and of queued transactions. */
  readonly counts: { readonly pending: number; readonly queued: number }
  /** Transactions of one sender. */
  of(sender: Uint8Array): {
    readonly pending: readonly Transaction[]
    readonly queued: readonly Transaction[]
  }
  /** Executable now, one entry a sender. */
  pending(): readonly PooledSender[]
  /** Waiting for an earlier nonce. */
  queued(): readonly PooledSender[]
  /** Calls the listener with each transaction that becomes pending; returns how to stop. */
  onPending(listener: (transaction: Transaction) => void): () => void
}
