import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { maximumCost, type Transaction } from '../../../evm/chain-types/transaction.ts'
import { ACCOUNT_ROW } from '../../../evm/engine/state-diff.ts'
import type { CandidateSource, OpenCandidates } from '../../../evm/execute/candidates.ts'
import { ACCOUNT_RECORD, decodeAccount, nonceIn } from '../../../evm/state/account.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { checkReplacement, checkSender, poolRejection } from './admission.ts'
import { entryBytes } from './entry-bytes.ts'
import type { Journal } from './journal.ts'
import { type PooledRecord, RECORD_OVERHEAD } from './journal-record.ts'
import { type DropReason, PoolContents } from './pool-contents.ts'
import type { PoolLimits, PoolRules } from './pool-options.ts'
import { makeRoom } from './pool-room.ts'
import { Screening, type ScreeningOptions } from './screening.ts'
import { type PoolEntry, SenderQueue } from './sender-queue.ts'
import type {
  AddOptions,
  PooledSender,
  PoolSubmission,
  SubmissionOutcome,
  TransactionPool,
} from './transaction-pool.ts'

/** The journal is rewritten when it exceeds twice the size of the pool by this many bytes. */
const JOURNAL_SLACK = 1 << 20

/** The state that the next block starts from. */
export interface PoolHead {
  readonly height: number
  /** Base fee of the next block. */
  readonly baseFee: bigint
  readonly view: Pick<StateView, 'account'>
}

/** Outcome of reading the journal at startup. */
export interface Restored {
  readonly transactions: number
  /** Number of dropped transactions by the first words of the rejection. */
  readonly dropped: ReadonlyMap<string, number>
  /** Bytes of the journal outside complete records. */
  readonly lostBytes: number
}

/** An admitted transaction and those that it displaced. */
interface Admitted {
  readonly entry: PoolEntry
  readonly displaced: readonly PoolEntry[]
}

export interface MempoolOptions extends ScreeningOptions {
  readonly limits: PoolLimits
  /** The file in which transactions survive a restart; undefined for memory only. */
  readonly journal: Journal | undefined
  /** Called once, with the first head. */
  readonly onRestored?: (restored: Restored) => void
  /** Returns milliseconds since 1970, for ages that outlast a restart. */
  readonly clock: () => number
}

/**
 * Transactions waiting for a block, by sender and nonce. All checks and changes are synchronous; only the journal is
 * awaited. Pooled senders follow the state through the account rows of each block, so that a block costs no reads.
 *
 * The first head opens the pool and restores the journal before anything else.
 */
export class Mempool implements TransactionPool {
  readonly #options: MempoolOptions
  readonly #contents: PoolContents
  readonly #screening: Screening
  readonly #listeners = new Set<(transaction: Transaction) => void>()
  #head: PoolHead | undefined
  #held: ReadonlySet<Transaction> | undefined
  #arrivals = 0
  #rejected = 0
  #rechecked = 0

  constructor(options: MempoolOptions) {
    this.#options = options
    this.#contents = new PoolContents(
      options.limits.accountSlots,
      options.limits.isByArrival === true,
    )
    this.#screening = new Screening(options, this.#contents)
  }

  /** Rules for every transaction, independent of the state. */
  get rules(): PoolRules {
    return this.#options.rules
  }

  /** Number of transactions. */
  get size(): number {
    return this.#contents.size
  }

  /** Total encoded bytes of all transactions. */
  get bytes(): number {
    return this.#contents.rawBytes
  }

  /** Memory use of all transactions in bytes, which the limit bounds. */
  get memoryBytes(): number {
    return this.#contents.bytes
  }

  /** Number of queued transactions. */
  get queuedCount(): number {
    return this.#contents.queuedCount
  }

  get version(): number {
    return this.#contents.version
  }

  /** Number of transactions that left the pool without a block, by reason. */
  get dropped(): Readonly<Record<DropReason, number>> {
    return this.#contents.dropped
  }

  /** Number of submissions rejected since the start. */
  get rejected(): number {
    return this.#rejected
  }

  /** Number of pooled transactions checked again since the start, because a block changed their sender. */
  get rechecked(): number {
    return this.#rechecked
  }

  async add(raw: Uint8Array, options: AddOptions = {}): Promise<Uint8Array> {
    try {
      return await this.#add(raw, options)
    } catch (error) {
      this.#rejected++
      throw error
    }
  }

  async #add(raw: Uint8Array, options: AddOptions): Promise<Uint8Array> {
    // Without a head there is neither a base fee nor a state.
    this.#currentHead()
    const screening = this.#screening
    const transaction = screening.known(raw, options) ?? (await screening.read(raw))
    // It may have arrived again while its sender was recovered.
    if (options.checked === undefined) screening.refuseKnown(transaction.hash)
    const admitted = this.#admit(transaction, this.#arrival())
    options.onAdmitted?.(transaction)
    await this.#keep([admitted])
    return transaction.hash
  }

  async addAll(submissions: readonly PoolSubmission[]): Promise<readonly SubmissionOutcome[]> {
    const admitted: Admitted[] = []
    const ends = submissions.map(
      ({ raw, checked }): SubmissionOutcome | Promise<SubmissionOutcome> => {
        if (checked === undefined) return this.add(raw).catch((error: Error) => error)
        try {
          this.#currentHead()
          const transaction = this.#screening.takeChecked(checked)
          admitted.push(this.#admit(transaction, this.#arrival()))
          return transaction.hash
        } catch (error) {
          this.#rejected++
          return error as Error
        }
      },
    )
    try {
      await this.#keep(admitted)
    } catch (error) {
      const unkept = new Set(admitted.map(({ entry }) => entry.transaction.hash))
      return Promise.all(
        ends.map((end) => (unkept.has(end as Uint8Array) ? (error as Error) : end)),
      )
    }
    return Promise.all(ends)
  }

  async check(raw: Uint8Array): Promise<Transaction> {
    this.#currentHead()
    const transaction = await this.#screening.read(raw)
    this.#screening.refuseKnown(transaction.hash)
    this.#examine(transaction)
    return transaction
  }

  /**
   * Resolves when all accepted transactions would survive a crash of the process.
   * @throws STORE_FULL
   */
  async persisted(): Promise<void> {
    await this.#options.journal?.written()
  }

  get(hash: Uint8Array): Transaction | undefined {
    return this.#contents.find(hash)?.transaction
  }

  nextNonce(sender: Uint8Array): bigint {
    const queue = this.#contents.queueOf(sender)
    if (queue !== undefined) return queue.nextNonce
    return nonceIn(this.#currentHead().view.account(sender))
  }

  get counts(): { readonly pending: number; readonly queued: number } {
    const { size, queuedCount } = this.#contents
    return { pending: size - queuedCount, queued: queuedCount }
  }

  of(sender: Uint8Array) {
    const queue = this.#contents.queueOf(sender)
    const transactionsOf = (entries: readonly PoolEntry[] = []) =>
      entries.map(({ transaction }) => transaction)
    return {
      pending: transactionsOf(queue?.executable()),
      queued: transactionsOf(queue?.queued()),
    }
  }

  pending(): readonly PooledSender[] {
    return this.#list((queue) => queue.executable())
  }

  queued(): readonly PooledSender[] {
    return this.#list((queue) => queue.queued())
  }

  onPending(listener: (transaction: Transaction) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the executable transactions in the order in which a block with `baseFee` takes them. */
  candidates(baseFee: bigint): CandidateSource {
    return this.#contents.candidates(Number(baseFee), this.#arrivals, this.#held)
  }

  /** Like `candidates`, plus transactions that become executable until it is closed. */
  openCandidates(baseFee: bigint): OpenCandidates {
    return this.#contents.openCandidates(Number(baseFee), () => this.#arrivals, this.#held)
  }

  /**
   * Excludes transactions, and later ones of their senders, from blocks until the returned function is called. The
   * set may change meanwhile.
   */
  exclude(held: ReadonlySet<Transaction>): () => void {
    this.#held = held
    return () => {
      this.#held = undefined
    }
  }

  /** Drops transactions that no block can contain. */
  drop(transactions: Iterable<Transaction>): void {
    for (const { hash } of transactions) {
      const entry = this.#contents.find(hash)
      if (entry !== undefined) this.#contents.remove(entry, 'hopeless')
    }
  }

  /** Drops transactions from the pool and the journal. */
  discard(transactions: Iterable<Transaction>): void {
    this.drop(transactions)
    this.rewriteJournal()
  }

  /** Rewrites the journal to the current contents, without transactions of blocks, which might be removed later. */
  rewriteJournal(): void {
    this.#options.journal?.replace([...this.#contents.entries()].map(recordOf))
  }

  /**
   * Moves to a new head and checks the affected senders' transactions again.
   * @param accountRows the accounts that the block changed (`StateDiff.accounts`)
   */
  advance(head: PoolHead, accountRows: Uint8Array): void {
    const isFirst = this.#head === undefined
    this.#head = head
    if (isFirst) this.#restore()
    for (let at = 0; at < accountRows.length && this.#contents.size > 0; at += ACCOUNT_ROW) {
      const sender = accountRows.subarray(at, at + 20)
      // Most changed accounts have no pooled transactions.
      const queue = this.#contents.queueOf(sender)
      if (queue === undefined) continue
      this.#rechecked += queue.length
      const record = accountRows.subarray(at + 20, at + 20 + ACCOUNT_RECORD)
      this.#announce(this.#contents.update(sender, decodeAccount(record)))
    }
    this.expire()
  }

  /**
   * Moves to a head that does not follow from a block: every sender is read again, and used nonces may be free again.
   */
  resetHead(head: PoolHead): void {
    this.#head = head
    this.#screening.forgetRefusals()
    for (const { address } of [...this.#contents.senders()]) {
      this.#announce(this.#contents.update(address, decodeAccount(head.view.account(address))))
    }
  }

  /** Drops transactions older than the limits allow, from the journal too. */
  expire(): void {
    const { ttlDuration, ttlBlocks, lifetime } = this.#options.limits
    if (this.#head === undefined) return
    const now = this.#options.clock()
    const { height } = this.#head
    if (ttlDuration > 0 || ttlBlocks > 0) {
      for (const entry of this.#contents.entries()) {
        const old = ttlDuration > 0 && now - entry.time > ttlDuration
        const passed = ttlBlocks > 0 && height - entry.height > ttlBlocks
        if (old || passed) this.#contents.remove(entry, 'expired')
      }
    }
    while (lifetime > 0 && this.#contents.queuedCount > 0) {
      const queue = this.#contents.order.longestSilent()
      if (queue === undefined || now - queue.lastArrival <= lifetime) break
      for (const entry of queue.queued()) this.#contents.remove(entry, 'expired')
    }
    this.#compactJournal()
  }

  /** Writes pending records and reduces the journal to the pooled transactions. */
  close(): void {
    this.#dropDead()
    this.#options.journal?.close()
  }

  /** Runs the checks that need the sender and its state. The result decides how the transaction is added. */
  #examine(transaction: Transaction) {
    const { limits, rules } = this.#options
    const queue = this.#queueOf(transaction.from)
    const { nextNonce } = queue
    const isQueued = transaction.nonce > nextNonce
    const replaced = queue.find(transaction.nonce)
    const cost = maximumCost(transaction)
    try {
      checkSender(transaction, cost, {
        nonce: queue.nonce,
        balance: queue.balance,
        spent: isQueued ? queue.reserved : queue.spent,
        replaced: isQueued || transaction.nonce < nextNonce ? replaced?.cost : undefined,
      })
    } catch (error) {
      const isFinal = error instanceof LockstepError && transaction.nonce < queue.nonce
      throw isFinal ? this.#screening.refuseAlways(transaction.hash, error) : error
    }
    if (replaced !== undefined) {
      const bump = rules.replacesByCap ? 'cap' : limits.priceBump
      checkReplacement(transaction, replaced.transaction, bump)
    } else if (isQueued && queue.queuedCount >= limits.accountQueue) {
      throw poolRejection(
        `account limit exceeded: pooled ${queue.queuedCount} txs`,
        `send the transaction with nonce ${nextNonce} first: those after it wait for it`,
      )
    }
    return { queue, isQueued, replaced, cost }
  }

  #arrival(): Pick<PoolEntry, 'time' | 'height'> {
    return { time: this.#options.clock(), height: this.#currentHead().height }
  }

  #admit(transaction: Transaction, { time, height }: Pick<PoolEntry, 'time' | 'height'>): Admitted {
    const { limits } = this.#options
    const head = this.#currentHead()
    const contents = this.#contents
    const { queue, isQueued, replaced, cost } = this.#examine(transaction)
    const entry: PoolEntry = {
      transaction,
      key: bytesKey(transaction.hash),
      cost,
      bytes: entryBytes(transaction),
      feeCap: Number(transaction.maxFeePerGas),
      tipCap: Number(transaction.maxPriorityFeePerGas),
      arrival: this.#arrivals++,
      time,
      height,
      announced: false,
      isGone: false,
    }
    const arrival = { entry, queue, isQueued, replaced }
    const evicted = makeRoom(arrival, contents, limits, Number(head.baseFee))
    if (replaced !== undefined) contents.remove(replaced, 'replaced')
    this.#announce(contents.add(queue, entry))
    return { entry, displaced: replaced === undefined ? evicted : [...evicted, replaced] }
  }

  /**
   * Writes entries to the journal, or removes them from the pool if that fails.
   * @throws STORE_FULL
   */
  async #keep(admitted: readonly Admitted[]): Promise<void> {
    if (admitted.length === 0) return
    try {
      await this.#options.journal?.append(...admitted.map(({ entry }) => recordOf(entry)))
    } catch (error) {
      for (const { entry, displaced } of admitted) this.#takeBack(entry, displaced)
      throw error
    }
    this.#compactJournal()
  }

  /** Removes an entry that the journal could not store, and restores those that it displaced. */
  #takeBack(entry: PoolEntry, displaced: readonly PoolEntry[]): void {
    const contents = this.#contents
    contents.remove(entry, 'unkept')
    for (const one of displaced) {
      const { from, nonce } = one.transaction
      const queue = this.#queueOf(from)
      if (nonce < queue.nonce || queue.find(nonce) !== undefined) continue
      this.#announce(contents.add(queue, one))
    }
  }

  /** Returns the sender's queue. A new one joins the pool with its first entry. */
  #queueOf(sender: Uint8Array): SenderQueue {
    const held = this.#contents.queueOf(sender)
    if (held !== undefined) return held
    return new SenderQueue(sender, decodeAccount(this.#currentHead().view.account(sender)))
  }

  #currentHead(): PoolHead {
    if (this.#head === undefined) {
      throw new LockstepError('SERVER_BUSY', 'the chain has no genesis state yet')
    }
    return this.#head
  }

  /** Restores the journal as far as the head still admits its transactions. */
  #restore(): void {
    const { journal, onRestored } = this.#options
    if (journal === undefined) return
    const { records, lost } = journal.restore()
    const dropped = new Map<string, number>()
    for (const { raw, from, time, height } of records) {
      try {
        this.#admit({ ...this.#screening.screen(raw), from }, { time, height })
      } catch (error) {
        if (!(error instanceof LockstepError)) throw error
        const [reason = error.message] = error.message.split(':')
        dropped.set(reason, (dropped.get(reason) ?? 0) + 1)
      }
    }
    this.#dropDead()
    onRestored?.({ transactions: this.size, dropped, lostBytes: lost })
  }

  /** Removes transactions of blocks from the journal. */
  #dropDead(): void {
    const { journal } = this.#options
    // Before the first head the journal may hold unread records.
    if (journal === undefined || this.#head === undefined) return
    if (journal.bytes <= this.bytes + this.size * RECORD_OVERHEAD) return
    try {
      this.rewriteJournal()
    } catch (thrown) {
      if (!(thrown instanceof LockstepError)) throw thrown
      // The disk is full: the old file is complete.
    }
  }

  #compactJournal(): void {
    const { journal } = this.#options
    if (journal === undefined) return
    const live = this.bytes + this.size * RECORD_OVERHEAD
    if (journal.bytes <= 2 * live + JOURNAL_SLACK) return
    void journal.rewrite(() => [...this.#contents.entries()].map(recordOf))
  }

  #announce(promoted: readonly PoolEntry[]): void {
    for (const { transaction } of promoted) {
      for (const listener of this.#listeners) listener(transaction)
    }
  }

  #list(part: (queue: SenderQueue) => readonly PoolEntry[]): PooledSender[] {
    const senders: PooledSender[] = []
    for (const queue of this.#contents.senders()) {
      const transactions = part(queue).map((entry) => entry.transaction)
      if (transactions.length > 0) senders.push({ sender: queue.address, transactions })
    }
    return senders
  }
}

function recordOf({ transaction, time, height }: PoolEntry): PooledRecord {
  return { raw: transaction.raw, from: transaction.from, time, height }
}
