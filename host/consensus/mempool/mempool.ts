import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { effectiveTip, maximumCost } from '../../chain-types/fee.ts'
import type { DeferredRecovery, SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import {
  decodeSigned,
  recoverSender,
  recoverSenderLater,
  type SignedTransaction,
} from '../../chain-types/transaction-codec.ts'
import type { CandidateSource } from '../../execute/pack.ts'
import { ACCOUNT_RECORD, decodeAccount } from '../../state/account.ts'
import { ACCOUNT_ROW } from '../../state/diff.ts'
import type { StateView } from '../../state/view.ts'
import { checkCaps, checkEncoding, checkFields, checkSender, refuse } from './admission.ts'
import type { Journal } from './journal.ts'
import type { PoolLimits, PoolRules } from './pool-options.ts'
import { orderCandidates } from './proposal-order.ts'
import { type Entry, SenderQueue } from './sender-queue.ts'
import type { PooledSender, TransactionPool } from './transaction-pool.ts'

/** Percent by which both caps of a replacement must exceed those it replaces. */
const PRICE_BUMP = 10n
/** The journal is rewritten once it has this many bytes beyond twice what the pool holds. */
const JOURNAL_SLACK = 1 << 20

/** The state that the next block starts from. */
export interface PoolHead {
  readonly height: number
  /** Base fee of the next block. */
  readonly baseFee: bigint
  readonly view: Pick<StateView, 'account'>
}

export interface MempoolOptions {
  readonly rules: PoolRules
  readonly limits: PoolLimits
  readonly recovery: SignatureRecovery
  /** Recovers the senders of what `add` takes; `recovery` where it is undefined. */
  readonly deferredRecovery?: DeferredRecovery
  /** Where transactions survive a restart; undefined keeps them in memory alone. */
  readonly journal: Journal | undefined
  /** Milliseconds, for the time to live. */
  readonly clock: () => number
}

/**
 * Transactions waiting for a block, by sender and nonce. All checks and changes happen in one turn of
 * the event loop; only the journal is waited for. The senders it holds follow the state by the account
 * rows of each block, so that a block costs no reads.
 */
export class Mempool implements TransactionPool {
  readonly #rules: PoolRules
  readonly #limits: PoolLimits
  readonly #recovery: SignatureRecovery
  readonly #deferredRecovery: DeferredRecovery | undefined
  readonly #journal: Journal | undefined
  readonly #clock: () => number
  readonly #senders = new Map<string, SenderQueue>()
  /** By transaction hash, in order of arrival. */
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(transaction: Transaction) => void>()
  #head: PoolHead | undefined
  #arrivals = 0
  #bytes = 0

  constructor(options: MempoolOptions) {
    this.#rules = options.rules
    this.#limits = options.limits
    this.#recovery = options.recovery
    this.#deferredRecovery = options.deferredRecovery
    this.#journal = options.journal
    this.#clock = options.clock
  }

  /** Number of transactions. */
  get size(): number {
    return this.#entries.size
  }

  /** Bytes of all transactions, network encoding. */
  get bytes(): number {
    return this.#bytes
  }

  async add(raw: Uint8Array): Promise<Uint8Array> {
    const signed = this.#screen(raw)
    const entry = this.#admit({ ...signed, from: await this.#recoverSender(signed) })
    try {
      await this.#journal?.append(entry.transaction.raw)
    } catch (error) {
      this.#remove(entry)
      throw error
    }
    return entry.transaction.hash
  }

  get(hash: Uint8Array): Transaction | undefined {
    return this.#entries.get(bytesKey(hash))?.transaction
  }

  nextNonce(sender: Uint8Array): bigint {
    const queue = this.#senders.get(bytesKey(sender))
    if (queue !== undefined) return queue.nextNonce
    return decodeAccount(this.#currentHead().view.account(sender)).nonce
  }

  pending(): readonly PooledSender[] {
    return this.#list((queue) => queue.executable())
  }

  queued(): readonly PooledSender[] {
    return this.#list((queue) => queue.waiting())
  }

  onPending(listener: (transaction: Transaction) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Executable transactions in the order in which a block with `baseFee` takes them. */
  candidates(baseFee: bigint): CandidateSource {
    const senders = [...this.#senders.values()].map((queue) => queue.executable())
    return orderCandidates(senders, baseFee)
  }

  /** Drops transactions that no block can hold. */
  drop(transactions: Iterable<Transaction>): void {
    for (const { hash } of transactions) {
      const entry = this.#entries.get(bytesKey(hash))
      if (entry !== undefined) this.#remove(entry)
    }
  }

  /**
   * Moves to a new head. `accountRows` are the accounts that the block changed (`StateDiff.accounts`):
   * what their senders have waiting is checked again.
   */
  advance(head: PoolHead, accountRows: Uint8Array): void {
    this.#head = head
    for (let at = 0; at < accountRows.length && this.#senders.size > 0; at += ACCOUNT_ROW) {
      const queue = this.#senders.get(bytesKey(accountRows.subarray(at, at + 20)))
      if (queue === undefined) continue
      const record = accountRows.subarray(at + 20, at + 20 + ACCOUNT_RECORD)
      const { nonce, balance } = decodeAccount(record)
      const { dropped, promoted } = queue.update(nonce, balance)
      for (const entry of dropped) this.#forget(entry)
      if (queue.length === 0) this.#senders.delete(bytesKey(queue.address))
      this.#announce(promoted)
    }
    this.#expire(head.height)
    const journal = this.#journal
    if (journal !== undefined && journal.bytes > 2 * this.#bytes + JOURNAL_SLACK) {
      journal.rewrite(this.#raws())
    }
  }

  /**
   * Takes back what the journal held, as far as the head still admits it; returns how many.
   * Called once, when the first head is known.
   */
  restore(): number {
    if (this.#journal === undefined) return 0
    for (const raw of this.#journal.load()) {
      try {
        const signed = this.#screen(raw)
        this.#admit({ ...signed, from: recoverSender(signed, this.#recovery) })
      } catch (error) {
        if (!(error instanceof LockstepError)) throw error
        // Executed, replaced or expired since: exactly what the journal need not keep.
      }
    }
    this.#journal.rewrite(this.#raws())
    return this.#entries.size
  }

  /** Writes what waits for the journal. */
  close(): void {
    this.#journal?.close()
  }

  /** All that needs neither the sender nor its state: what is refused here costs no recovery. */
  #screen(raw: Uint8Array): SignedTransaction {
    // Without a head there is no base fee, and no state to admit against.
    this.#currentHead()
    checkEncoding(raw, this.#rules)
    const signed = decodeSigned(raw, (bytes) => this.#recovery.keccak256(bytes))
    this.#refuseKnown(signed)
    checkFields(signed, this.#rules)
    return signed
  }

  #refuseKnown({ hash }: SignedTransaction): void {
    if (this.#entries.has(bytesKey(hash))) throw refuse('already known')
  }

  #admit(transaction: Transaction): Entry {
    const head = this.#currentHead()
    // The same transaction may have come in while this one's sender was being recovered.
    this.#refuseKnown(transaction)
    checkCaps(transaction)
    const key = bytesKey(transaction.from)
    const queue = this.#senders.get(key) ?? this.#openQueue(transaction.from, head)
    const replaced = queue.find(transaction.nonce)
    const cost = maximumCost(transaction)
    checkSender(transaction, cost, {
      nonce: queue.nonce,
      balance: queue.balance,
      spent: queue.spent,
      replaced:
        replaced !== undefined && transaction.nonce < queue.nextNonce ? replaced.cost : undefined,
    })
    if (replaced === undefined) {
      if (queue.length >= this.#limits.maxPerSender) {
        throw refuse(`account limit exceeded: pooled ${queue.length} txs`)
      }
    } else {
      checkReplacement(transaction, replaced.transaction)
    }
    this.#makeRoom(transaction, replaced, queue, head.baseFee)
    if (replaced !== undefined) this.#remove(replaced)

    const entry: Entry = {
      transaction,
      cost,
      arrival: this.#arrivals++,
      time: this.#clock(),
      height: head.height,
      announced: false,
    }
    this.#senders.set(key, queue)
    this.#entries.set(bytesKey(transaction.hash), entry)
    this.#bytes += transaction.raw.length
    this.#announce(queue.add(entry))
    return entry
  }

  #currentHead(): PoolHead {
    if (this.#head === undefined) {
      throw new LockstepError('SERVER_BUSY', 'the chain has no genesis state yet')
    }
    return this.#head
  }

  async #recoverSender(signed: SignedTransaction): Promise<Uint8Array> {
    const deferred = this.#deferredRecovery
    try {
      if (deferred === undefined) return recoverSender(signed, this.#recovery)
      const keccak256 = (bytes: Uint8Array) => this.#recovery.keccak256(bytes)
      return await recoverSenderLater(signed, keccak256, deferred)
    } catch (error) {
      if (error instanceof LockstepError) throw refuse(`invalid sender: ${error.message}`)
      throw error
    }
  }

  #openQueue(sender: Uint8Array, head: PoolHead): SenderQueue {
    const { nonce, balance } = decodeAccount(head.view.account(sender))
    return new SenderQueue(sender, nonce, balance)
  }

  /**
   * Evicts until `transaction` fits behind those of its sender (`own`). Only the last transaction of
   * another sender is ever evicted, so that no gap opens before one that stays; senders compare by the
   * lowest tip they offer, since the block pays for the others first.
   */
  #makeRoom(
    transaction: Transaction,
    replaced: Entry | undefined,
    own: SenderQueue,
    baseFee: bigint,
  ): void {
    const { maxTransactions, maxBytes } = this.#limits
    const transactions = replaced === undefined ? 1 : 0
    const bytes = transaction.raw.length - (replaced?.transaction.raw.length ?? 0)
    const isFull = (): boolean =>
      this.#entries.size + transactions > maxTransactions || this.#bytes + bytes > maxBytes
    // Finding the lowest tip walks the sender's whole queue: not for a pool that has room.
    if (!isFull()) return
    const tip = effectiveTip(transaction, baseFee)
    const ownTip = own.lowestTip(baseFee)
    const offer = ownTip !== undefined && ownTip < tip ? ownTip : tip
    while (isFull()) {
      let cheapest: SenderQueue | undefined
      let lowest = offer
      for (const queue of this.#senders.values()) {
        const held = queue.lowestTip(baseFee)
        if (queue !== own && held !== undefined && held < lowest) {
          lowest = held
          cheapest = queue
        }
      }
      const evicted = cheapest?.last
      if (evicted === undefined) {
        throw new LockstepError(
          'TRANSACTION_REJECTED',
          `txpool is full: effective gas tip ${offer} is not above the lowest held`,
          { hint: 'send it again later, or with a higher priority fee' },
        )
      }
      this.#remove(evicted)
    }
  }

  #remove(entry: Entry): void {
    const queue = this.#senders.get(bytesKey(entry.transaction.from))
    this.#forget(entry)
    if (queue === undefined) return
    queue.remove(entry)
    if (queue.length === 0) this.#senders.delete(bytesKey(queue.address))
  }

  #forget(entry: Entry): void {
    const key = bytesKey(entry.transaction.hash)
    if (this.#entries.get(key) !== entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.transaction.raw.length
  }

  #announce(promoted: readonly Entry[]): void {
    for (const { transaction } of promoted) {
      for (const listener of this.#listeners) listener(transaction)
    }
  }

  #expire(height: number): void {
    const { ttlDuration, ttlBlocks } = this.#limits
    if (ttlDuration === 0 && ttlBlocks === 0) return
    const now = this.#clock()
    for (const entry of this.#entries.values()) {
      const old = ttlDuration > 0 && now - entry.time > ttlDuration
      const passed = ttlBlocks > 0 && height - entry.height > ttlBlocks
      // Entries stand in order of arrival: the first that may stay ends the search.
      if (!old && !passed) return
      this.#remove(entry)
    }
  }

  #list(part: (queue: SenderQueue) => readonly Entry[]): PooledSender[] {
    const senders: PooledSender[] = []
    for (const queue of this.#senders.values()) {
      const transactions = part(queue).map((entry) => entry.transaction)
      if (transactions.length > 0) senders.push({ sender: queue.address, transactions })
    }
    return senders
  }

  *#raws(): Iterable<Uint8Array> {
    for (const { transaction } of this.#entries.values()) yield transaction.raw
  }
}

/** A replacement must offer 10 % more in both caps. */
function checkReplacement(transaction: Transaction, replaced: Transaction): void {
  const enough = (offered: bigint, held: bigint) =>
    offered > held && offered * 100n >= held * (100n + PRICE_BUMP)
  if (
    !enough(transaction.maxFeePerGas, replaced.maxFeePerGas) ||
    !enough(transaction.maxPriorityFeePerGas, replaced.maxPriorityFeePerGas)
  ) {
    throw refuse('replacement transaction underpriced')
  }
}
