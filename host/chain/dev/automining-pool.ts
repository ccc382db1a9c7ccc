import { formatData } from '../../base/hex.ts'
import type { Transaction } from '../../evm/chain-types/transaction.ts'
import type { CandidateSource } from '../../evm/execute/candidates.ts'
import { poolRejection } from '../consensus/mempool/admission.ts'
import type { Mempool } from '../consensus/mempool/mempool.ts'
import {
  type AddOptions,
  addEach,
  type PooledSender,
  type PoolSubmission,
  type SubmissionOutcome,
  type TransactionPool,
} from '../consensus/mempool/transaction-pool.ts'

/** Makes a block for each transaction that arrives. */
export interface Automining {
  readonly automine: boolean
  /** Base fee of the next block, in wei per unit of gas. */
  readonly nextBaseFee: bigint
  /**
   * Makes blocks for a transaction until it no longer waits, or until a block contains none at all.
   * @param onTurn called before its first block; the returned function is called after the last
   */
  automined(isWaiting: () => boolean, onTurn?: () => () => void): Promise<void>
}

/**
 * The pool of a development chain. With automining, `add` resolves when the transaction's block exists. Concurrent
 * transactions get a block each, in order, as in anvil and Hardhat. A transaction with a nonce gap is queued as
 * usual, and is included with the one that closes the gap.
 */
export class AutominingPool implements TransactionPool {
  readonly #mempool: Mempool
  /** Transactions that wait for their own block: blocks of earlier ones exclude them. */
  readonly #due = new Set<Transaction>()
  readonly #chain: () => Automining

  constructor(mempool: Mempool, chain: () => Automining) {
    this.#mempool = mempool
    this.#chain = chain
  }

  /**
   * Adds a transaction and makes its block.
   * @throws TRANSACTION_REJECTED also if the next block could not contain it
   */
  async add(raw: Uint8Array, options?: AddOptions): Promise<Uint8Array> {
    let came = undefined as Transaction | undefined
    const onAdmitted = (transaction: Transaction): void => {
      if (!this.#chain().automine || !this.#isExecutable(transaction)) return
      came = transaction
      // Synchronously: earlier transactions get their blocks while the journal is written.
      this.#due.add(transaction)
    }
    try {
      const hash = await this.#mempool.add(raw, { ...options, onAdmitted })
      if (came !== undefined && this.#mempool.get(hash) !== undefined) await this.#automine(came)
      return hash
    } finally {
      if (came !== undefined) this.#due.delete(came)
    }
  }

  addAll(submissions: readonly PoolSubmission[]): Promise<readonly SubmissionOutcome[]> {
    return addEach(this, submissions)
  }

  check(raw: Uint8Array): Promise<Transaction> {
    return this.#mempool.check(raw)
  }

  get(hash: Uint8Array): Transaction | undefined {
    return this.#mempool.get(hash)
  }

  nextNonce(sender: Uint8Array): bigint {
    return this.#mempool.nextNonce(sender)
  }

  get counts(): TransactionPool['counts'] {
    return this.#mempool.counts
  }

  of(sender: Uint8Array): ReturnType<TransactionPool['of']> {
    return this.#mempool.of(sender)
  }

  pending(): readonly PooledSender[] {
    return this.#mempool.pending()
  }

  queued(): readonly PooledSender[] {
    return this.#mempool.queued()
  }

  onPending(listener: (transaction: Transaction) => void): () => void {
    return this.#mempool.onPending(listener)
  }

  get version(): number {
    return this.#mempool.version
  }

  candidates(baseFee: bigint): CandidateSource {
    return this.#mempool.candidates(baseFee)
  }

  /** Resolves when the transaction has its block. */
  #automine(transaction: Transaction): Promise<void> {
    const chain = this.#chain()
    this.#requireFee(transaction, chain.nextBaseFee)
    return chain.automined(
      () => this.#isDue(transaction),
      () => {
        this.#due.delete(transaction)
        return this.#mempool.exclude(this.#due)
      },
    )
  }

  #isExecutable({ from, nonce }: Transaction): boolean {
    return nonce < this.#mempool.nextNonce(from)
  }

  /** Returns true if the transaction still waits and the next block could contain it. */
  #isDue(transaction: Transaction): boolean {
    return (
      this.#mempool.get(transaction.hash) !== undefined &&
      transaction.maxFeePerGas >= this.#chain().nextBaseFee
    )
  }

  #requireFee(transaction: Transaction, baseFee: bigint): void {
    const { maxFeePerGas, from } = transaction
    if (maxFeePerGas >= baseFee) return
    this.#mempool.drop([transaction])
    throw poolRejection(
      `max fee per gas less than block base fee: address ${formatData(from)}, maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFee}`,
      'offer more, or turn automine off to let it wait',
    )
  }
}
