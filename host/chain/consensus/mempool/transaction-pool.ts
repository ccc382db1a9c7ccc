import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { PendingSource } from '../../../evm/execute/candidates.ts'
import type { CheckedTransaction } from './checked-transaction.ts'

/** Transactions of one sender in nonce order. */
export interface PooledSender {
  readonly sender: Uint8Array
  readonly transactions: readonly Transaction[]
}

/** How a transaction is added. */
export interface AddOptions {
  /** It is sent in the name of its sender, without a signature (`evm/chain-types/impersonation.ts`). */
  readonly isImpersonated?: boolean
  /** Whose signature it has, 20 bytes: the caller has made it, so that it is taken in the same turn. */
  readonly signer?: Uint8Array
  /** What a thread of the node has found out about it, which is not done again. */
  readonly checked?: CheckedTransaction | undefined
  /** Called in the turn in which a block may take it, which is before it would survive a crash. */
  readonly onAdmitted?: (transaction: Transaction) => void
}

/** A transaction that came with others. */
export interface Submission {
  /** Network encoding. */
  readonly raw: Uint8Array
  /** Undefined where it breaks a rule, or none were checked. */
  readonly checked: CheckedTransaction | undefined
}

/** What became of a transaction: its hash, or what `add` would throw. */
export type SubmitEnd = Uint8Array | Error

/** Adds transactions one after another, for a pool that has no quicker way. */
export function addEach(
  pool: Pick<TransactionPool, 'add'>,
  submissions: readonly Submission[],
): Promise<readonly SubmitEnd[]> {
  return Promise.all(
    submissions.map(({ raw, checked }) =>
      pool.add(raw, { checked }).catch((error: Error): SubmitEnd => error),
    ),
  )
}

/** Transactions waiting for a block, as the RPC sees them. */
export interface TransactionPool extends PendingSource {
  /**
   * Checks and adds a transaction in network encoding; resolves with its hash once it would survive a
   * crash of the process. One that is impersonated is taken only from who says so: the caller has made it.
   * @throws TRANSACTION_REJECTED with geth's text.
   */
  add(raw: Uint8Array, options?: AddOptions): Promise<Uint8Array>
  /** Adds transactions in their order, as `add` does each; resolves with what became of each. */
  addAll(submissions: readonly Submission[]): Promise<readonly SubmitEnd[]>
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
