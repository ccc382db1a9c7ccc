import { LockstepError, messageOf } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { CandidateSource } from '../../../evm/execute/candidates.ts'
import type { Mempool } from '../mempool/mempool.ts'
import {
  addEach,
  type PooledSender,
  type PoolSubmission,
  type SubmissionOutcome,
  type TransactionPool,
} from '../mempool/transaction-pool.ts'

export interface ForwardingPoolOptions {
  /** Holds the transactions until a block contains them. */
  readonly pool: Mempool
  /**
   * Sends a transaction to the block producers and resolves with the reason if they reject it. Rejects if none
   * answers.
   */
  readonly broadcast: (raw: Uint8Array) => Promise<string | undefined>
  /** Called if a pooled transaction is rejected later. It is dropped. */
  readonly onRefused: (hash: string, reason: string) => void
  readonly onUnsent: (waiting: number, error: unknown) => void
}

/** Pause before unsent transactions are sent again. */
const RETRY_MS = 1_000

/**
 * The pool of a follower. Like every pool it checks and holds transactions. It also forwards them to the block
 * producers and rejects what they reject. While no producer answers, it holds the transactions and retries.
 */
export class ForwardingPool implements TransactionPool {
  readonly #options: ForwardingPoolOptions
  readonly #pool: Mempool
  /** Hashes of transactions that no producer has accepted yet. */
  #unsent: Uint8Array[]
  #timer: Timer | undefined
  #isClosed = false

  constructor(options: ForwardingPoolOptions) {
    this.#options = options
    this.#pool = options.pool
    // A crash may have prevented sending those of the journal.
    this.#unsent = [...options.pool.pending(), ...options.pool.queued()].flatMap(
      ({ transactions }) => transactions.map(({ hash }) => hash),
    )
    if (this.#unsent.length > 0) this.#retryLater(0)
  }

  async add(raw: Uint8Array): Promise<Uint8Array> {
    const hash = await this.#pool.add(raw)
    let refusal: string | undefined
    try {
      refusal = await this.#options.broadcast(raw)
    } catch (error) {
      this.#unsent.push(hash)
      this.#options.onUnsent(this.#unsent.length, error)
      this.#retryLater(RETRY_MS)
      return hash
    }
    if (refusal === undefined) return hash
    this.#drop(hash)
    throw new LockstepError('TRANSACTION_REJECTED', refusal)
  }

  addAll(submissions: readonly PoolSubmission[]): Promise<readonly SubmissionOutcome[]> {
    return addEach(this, submissions)
  }

  check(raw: Uint8Array): Promise<Transaction> {
    return this.#pool.check(raw)
  }

  get(hash: Uint8Array): Transaction | undefined {
    return this.#pool.get(hash)
  }

  nextNonce(sender: Uint8Array): bigint {
    return this.#pool.nextNonce(sender)
  }

  get version(): number {
    return this.#pool.version
  }

  get counts(): { readonly pending: number; readonly queued: number } {
    return this.#pool.counts
  }

  of(sender: Uint8Array): ReturnType<TransactionPool['of']> {
    return this.#pool.of(sender)
  }

  pending(): readonly PooledSender[] {
    return this.#pool.pending()
  }

  queued(): readonly PooledSender[] {
    return this.#pool.queued()
  }

  candidates(baseFee: bigint): CandidateSource {
    return this.#pool.candidates(baseFee)
  }

  onPending(listener: (transaction: Transaction) => void): () => void {
    return this.#pool.onPending(listener)
  }

  close(): void {
    this.#isClosed = true
    stopTimer(this.#timer)
  }

  #drop(hash: Uint8Array): void {
    const transaction = this.#pool.get(hash)
    if (transaction !== undefined) this.#pool.drop([transaction])
  }

  #retryLater(milliseconds: number): void {
    if (this.#isClosed || this.#timer !== undefined) return
    this.#timer = startTimer(() => void this.#retry(), milliseconds)
  }

  async #retry(): Promise<void> {
    const { broadcast, onRefused, onUnsent } = this.#options
    const waiting = this.#unsent
    this.#unsent = []
    let failure: { readonly error: unknown } | undefined
    for (const hash of waiting) {
      const transaction = this.#pool.get(hash)
      // It has left the pool, for example by inclusion in a block.
      if (transaction === undefined) continue
      if (failure === undefined) {
        try {
          const refusal = await broadcast(transaction.raw)
          if (refusal !== undefined) {
            this.#drop(hash)
            onRefused(formatData(hash), refusal)
          }
          continue
        } catch (error) {
          failure = { error }
        }
      }
      this.#unsent.push(hash)
    }
    this.#timer = undefined
    if (this.#unsent.length === 0) return
    if (failure !== undefined) onUnsent(this.#unsent.length, messageOf(failure.error))
    this.#retryLater(RETRY_MS)
  }
}
