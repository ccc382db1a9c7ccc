import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { RecordedTransaction } from '../../../evm/engine/transaction-record.ts'
import type { PendingSource } from '../../../evm/execute/candidates.ts'

/** Transactions of one sender in nonce order. */
export interface PooledSender {
  readonly sender: Uint8Array
  readonly transactions: readonly Transaction[]
}

/** Options for adding a transaction. */
export interface AddOptions {
  /** True if it is impersonated: unsigned, in the name of its sender (`evm/chain-types/impersonation.ts`). */
  readonly isImpersonated?: boolean
  /** Known signer, 20 bytes: the caller has signed it, so that it is admitted synchronously. */
  readonly signer?: Uint8Array
  /** Results of a worker's checks, which are not repeated. */
  readonly checked?: RecordedTransaction | undefined
  /** Called synchronously when a block may contain it, which is before it would survive a crash. */
  readonly onAdmitted?: (transaction: Transaction) => void
}

/** A transaction of a batch. */
export interface PoolSubmission {
  /** Network encoding. */
  readonly raw: Uint8Array
  /** Undefined if it breaks a rule or was not checked. */
  readonly checked: RecordedTransaction | undefined
}

/** Outcome of a transaction: its hash, or the error that `add` would throw. */
export type SubmissionOutcome = Uint8Array | Error

/** Adds transactions one after another, for pools without a faster way. */
export function addEach(
  pool: Pick<TransactionPool, 'add'>,
  submissions: readonly PoolSubmission[],
): Promise<readonly SubmissionOutcome[]> {
  return Promise.all(
    submissions.map(({ raw, checked }) =>
      pool.add(raw, { checked }).catch((error: Error): SubmissionOutcome => error),
    ),
  )
}

/** Transactions waiting for a block, as the RPC sees them. */
export interface TransactionPool extends PendingSource {
  /**
   * Checks and adds an encoded transaction. Resolves with its hash when it would survive a crash of the process. An
   * impersonated one is accepted only with `isImpersonated`, that is, from the caller that made it.
   * @throws TRANSACTION_REJECTED with geth's message
   */
  add(raw: Uint8Array, options?: AddOptions): Promise<Uint8Array>
  /** Adds transactions in order, like `add`, and resolves with their outcomes. */
  addAll(submissions: readonly PoolSubmission[]): Promise<readonly SubmissionOutcome[]>
  /**
   * Checks a transaction like `add`, without adding it. A full pool is not an error.
   * @throws TRANSACTION_REJECTED with geth's message
   */
  check(raw: Uint8Array): Promise<Transaction>
  get(hash: Uint8Array): Transaction | undefined
  /** Returns the sender's next nonce, counting its executable transactions in the pool. */
  nextNonce(sender: Uint8Array): bigint
  /** Numbers of executable and queued transactions. */
  readonly counts: { readonly pending: number; readonly queued: number }
  /** Returns the transactions of one sender. */
  of(sender: Uint8Array): {
    readonly pending: readonly Transaction[]
    readonly queued: readonly Transaction[]
  }
  /** Returns the executable transactions by sender. */
  pending(): readonly PooledSender[]
  /** Returns the queued transactions by sender. */
  queued(): readonly PooledSender[]
  /** Calls the listener with each transaction that becomes pending. Returns a function that removes the listener. */
  onPending(listener: (transaction: Transaction) => void): () => void
}
