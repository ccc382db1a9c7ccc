import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { impersonatedSender } from '../../../evm/chain-types/impersonation.ts'
import type {
  DeferredRecovery,
  SignatureRecovery,
} from '../../../evm/chain-types/signature-recovery.ts'
import { maximumCost, type Transaction } from '../../../evm/chain-types/transaction.ts'
import {
  decodeKnown,
  decodeSigned,
  recoverSender,
  recoverSenderLater,
  type SignedTransaction,
} from '../../../evm/chain-types/transaction-codec.ts'
import { ACCOUNT_ROW } from '../../../evm/engine/state-diff.ts'
import type { CandidateSource, OpenCandidates } from '../../../evm/execute/candidates.ts'
import { ACCOUNT_RECORD, decodeAccount, nonceIn } from '../../../evm/state/account.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { checkEncoding, checkFields, checkReplacement, checkSender, refuse } from './admission.ts'
import type { CheckedTransaction } from './checked-transaction.ts'
import { entryBytes } from './entry-bytes.ts'
import type { Journal } from './journal.ts'
import { type PooledRecord, RECORD_OVERHEAD } from './journal-record.ts'
import { type DropReason, PoolContents } from './pool-contents.ts'
import type { PoolLimits, PoolRules } from './pool-options.ts'
import { makeRoom } from './pool-room.ts'
import { RefusedTransactions } from './refused-transactions.ts'
import { type Entry, SenderQueue } from './sender-queue.ts'
import type {
  AddOptions,
  PooledSender,
  Submission,
  SubmitEnd,
  TransactionPool,
} from './transaction-pool.ts'

/** The journal is rewritten once it has this many bytes beyond twice what the pool holds. */
const JOURNAL_SLACK = 1 << 20

/** The state that the next block starts from. */
export interface PoolHead {
  readonly height: number
  /** Base fee of the next block. */
  readonly baseFee: bigint
  readonly view: Pick<StateView, 'account'>
}

/** How the journal was read at the start. */
export interface Restored {
  readonly transactions: number
  /** How many were dropped, by the first words of their refusal. */
  readonly dropped: ReadonlyMap<string, number>
  /** Bytes of the journal that are no whole record. */
  readonly lostBytes: number
}

/** A transaction that the pool has taken, and those that gave way to it. */
interface Admitted {
  readonly entry: Entry
  readonly displaced: readonly Entry[]
}

export interface MempoolOptions {
  readonly rules: PoolRules
  readonly limits: PoolLimits
  readonly recovery: SignatureRecovery
  /** Recovers the senders of transactions that `add` takes; `recovery` does where this is undefined. */
  readonly deferredRecovery?: DeferredRecovery | undefined
  /** The file in which transactions survive a restart; undefined keeps them in memory alone. */
  readonly journal: Journal | undefined
  /** Most refused transactions whose repeats are answered without checking; none where it is undefined. */
  readonly refusedKept?: number
  /** Called once, with the first head. */
  readonly onRestored?: (restored: Restored) => void
  /** Milliseconds since 1970, for ages, which outlast a restart. */
  readonly clock: () => number
}

/**
 * Transactions waiting for a block, by sender and nonce. All checks and changes happen in one turn of
 * the event loop; only the journal is waited for. The senders it holds follow the state by the account
 * rows of each block, so that a block costs no reads.
 *
 * The first head opens the pool: with it, and before anything else, the journal is taken back.
 */
export class Mempool implements TransactionPool {
  readonly #options: MempoolOptions
  readonly #contents: PoolContents
  readonly #refused: RefusedTransactions
  readonly #listeners = new Set<(transaction: Transaction) => void>()
  #head: PoolHead | undefined
  #held: ReadonlySet<Transaction> | undefined
  #arrivals = 0

  constructor(options: MempoolOptions) {
    this.#options = options
    this.#contents = new PoolContents(options.limits.accountSlots)
    this.#refused = new RefusedTransactions(options.refusedKept ?? 0)
  }

  /** What every transaction must keep, whatever the state. */
  get rules(): PoolRules {
    return this.#options.rules
  }

  /** Number of transactions. */
  get size(): number {
    return this.#contents.size
  }

  /** Bytes of all transactions, network encoding. */
  get bytes(): number {
    return this.#contents.rawBytes
  }

  /** Bytes of memory that all transactions take: what the limit bounds. */
  get memoryBytes(): number {
    return this.#contents.bytes
  }

  /** Number of transactions that are queued. */
  get queuedCount(): number {
    return this.#contents.queuedCount
  }

  get version(): number {
    return this.#contents.version
  }

  /** How many transactions left the pool without a block, by reason. */
  get dropped(): Readonly<Record<DropReason, number>> {
    return this.#contents.dropped
  }

  async add(raw: Uint8Array, options: AddOptions = {}): Promise<Uint8Array> {
    const transaction = this.#known(raw, options) ?? (await this.#decode(raw))
    // It may have come in a second time while its sender was being recovered.
    if (options.checked === undefined) this.#refuseKnown(transaction.hash)
    const admitted = this.#admit(transaction, this.#arrival())
    options.onAdmitted?.(transaction)
    await this.#keep([admitted])
    return transaction.hash
  }

  async addAll(submissions: readonly Submission[]): Promise<readonly SubmitEnd[]> {
    const admitted: Admitted[] = []
    const ends = submissions.map(({ raw, checked }): SubmitEnd | Promise<SubmitEnd> => {
      if (checked === undefined) return this.add(raw).catch((error: Error) => error)
      try {
        admitted.push(this.#admit(this.#decodeChecked(raw, checked), this.#arrival()))
        return checked.hash
      } catch (error) {
        return error as Error
      }
    })
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
    const transaction = await this.#decode(raw)
    this.#refuseKnown(transaction.hash)
    this.#examine(transaction)
    return transaction
  }

  /** Resolves once all that the pool has taken would survive a crash of the process. @throws STORE_FULL */
  async kept(): Promise<void> {
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
    const transactionsOf = (entries: readonly Entry[] = []) =>
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

  /** Executable transactions in the order in which a block with `baseFee` takes them. */
  candidates(baseFee: bigint): CandidateSource {
    return this.#contents.candidates(Number(baseFee), this.#arrivals, this.#held)
  }

  /** The same with those that become executable until they are closed. */
  openCandidates(baseFee: bigint): OpenCandidates {
    return this.#contents.openCandidates(Number(baseFee), () => this.#arrivals, this.#held)
  }

  /**
   * Offers no block these transactions, nor what their senders have after them, until what it returns is called. The
   * set may change meanwhile.
   */
  holdBack(held: ReadonlySet<Transaction>): () => void {
    this.#held = held
    return () => {
      this.#held = undefined
    }
  }

  /** Drops transactions that no block can hold. */
  drop(transactions: Iterable<Transaction>): void {
    for (const { hash } of transactions) {
      const entry = this.#contents.find(hash)
      if (entry !== undefined) this.#contents.remove(entry, 'hopeless')
    }
  }

  /** Drops transactions for good: they do not come back at the next start. */
  discard(transactions: Iterable<Transaction>): void {
    this.drop(transactions)
    this.keepWaiting()
  }

  /** Has the next start find what waits now and nothing else: no transaction of a block, should that be removed. */
  keepWaiting(): void {
    this.#options.journal?.replace([...this.#contents.entries()].map(recordOf))
  }

  /**
   * Moves to a new head. `accountRows` are the accounts that the block changed (`StateDiff.accounts`): the
   * transactions that their senders have waiting are checked again.
   */
  advance(head: PoolHead, accountRows: Uint8Array): void {
    const isFirst = this.#head === undefined
    this.#head = head
    if (isFirst) this.#restore()
    for (let at = 0; at < accountRows.length && this.#contents.size > 0; at += ACCOUNT_ROW) {
      const sender = accountRows.subarray(at, at + 20)
      // Most accounts that a block changes have sent nothing.
      if (this.#contents.queueOf(sender) === undefined) continue
      const record = accountRows.subarray(at + 20, at + 20 + ACCOUNT_RECORD)
      this.#announce(this.#contents.update(sender, decodeAccount(record)))
    }
    this.expire()
  }

  /** Takes a head whose state no block has led to: every sender is read again, and nonces may be free that were used. */
  reread(head: PoolHead): void {
    this.#head = head
    this.#refused.clear()
    for (const { address } of [...this.#contents.senders()]) {
      this.#announce(this.#contents.update(address, decodeAccount(head.view.account(address))))
    }
  }

  /** Drops transactions that have waited for longer than the limits allow, from the journal too. */
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
      if (queue === undefined || now - queue.beat <= lifetime) break
      for (const entry of queue.queued()) this.#contents.remove(entry, 'expired')
    }
    this.#compactJournal()
  }

  /** Writes the records that wait for the journal, and leaves those of what waits in it. */
  close(): void {
    this.#dropDead()
    this.#options.journal?.close()
  }

  /** Checks that need neither the sender nor its state: a transaction refused here costs no recovery. */
  #screen(raw: Uint8Array): SignedTransaction {
    // Without a head there is no base fee, and no state to admit against.
    this.#currentHead()
    const { rules, recovery } = this.#options
    checkEncoding(raw, rules)
    const signed = decodeSigned(raw, (bytes) => recovery.keccak256(bytes))
    this.#refuseKnown(signed.hash)
    checkFields(signed, rules)
    return signed
  }

  async #decode(raw: Uint8Array): Promise<Transaction> {
    const signed = this.#screen(raw)
    this.#refused.refuseRepeat(signed.hash)
    return { ...signed, from: await this.#recoverSender(signed) }
  }

  /** One whose sender need not be recovered. */
  #known(
    raw: Uint8Array,
    { isImpersonated, signer, checked }: AddOptions,
  ): Transaction | undefined {
    if (isImpersonated) return this.#impersonated(raw)
    if (checked !== undefined) return this.#decodeChecked(raw, checked)
    return signer && { ...this.#screen(raw), from: signer }
  }

  #decodeChecked(raw: Uint8Array, { hash, from }: CheckedTransaction): Transaction {
    this.#currentHead()
    const transaction = decodeKnown(raw, hash, from)
    this.#refuseKnown(hash)
    this.#refused.refuseRepeat(hash)
    return transaction
  }

  #impersonated(raw: Uint8Array): Transaction {
    const signed = this.#screen(raw)
    const from = this.#options.rules.isDevelopment ? impersonatedSender(signed) : undefined
    if (from === undefined) {
      throw refuse(
        'impersonated transactions are not taken on this chain',
        'they are for development chains, whose genesis.json says "development": begin one with start --dev on a new home',
      )
    }
    return { ...signed, from }
  }

  #refuseKnown(hash: Uint8Array): void {
    if (this.#contents.find(hash) !== undefined) throw refuse('already known')
  }

  /** A refusal that no later state takes back. */
  #remember({ hash }: SignedTransaction, refusal: LockstepError): LockstepError {
    this.#refused.add(hash, refusal)
    return refusal
  }

  /** Checks that need the sender and its state; what they find decides where the transaction goes. */
  #examine(transaction: Transaction) {
    const { limits } = this.#options
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
      throw isFinal ? this.#remember(transaction, error) : error
    }
    if (replaced !== undefined) {
      checkReplacement(transaction, replaced.transaction, limits.priceBump)
    } else if (isQueued && queue.queuedCount >= limits.accountQueue) {
      throw refuse(
        `account limit exceeded: pooled ${queue.queuedCount} txs`,
        `send the transaction with nonce ${nextNonce} first: those after it wait for it`,
      )
    }
    return { queue, isQueued, replaced, cost }
  }

  #arrival(): Pick<Entry, 'time' | 'height'> {
    return { time: this.#options.clock(), height: this.#currentHead().height }
  }

  #admit(transaction: Transaction, { time, height }: Pick<Entry, 'time' | 'height'>): Admitted {
    const { limits } = this.#options
    const head = this.#currentHead()
    const contents = this.#contents
    const { queue, isQueued, replaced, cost } = this.#examine(transaction)
    const entry: Entry = {
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

  /** Waits until the journal has them; where it cannot, they leave the pool. @throws STORE_FULL */
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

  /** An entry that the journal could not keep leaves, and those that it displaced come back. */
  #takeBack(entry: Entry, displaced: readonly Entry[]): void {
    const contents = this.#contents
    contents.remove(entry, 'unkept')
    for (const one of displaced) {
      const { from, nonce } = one.transaction
      const queue = this.#queueOf(from)
      if (nonce < queue.nonce || queue.find(nonce) !== undefined) continue
      this.#announce(contents.add(queue, one))
    }
  }

  /** The sender's queue; one that nothing was added to yet counts nowhere. */
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

  async #recoverSender(signed: SignedTransaction): Promise<Uint8Array> {
    const { recovery, deferredRecovery } = this.#options
    try {
      if (deferredRecovery === undefined) return recoverSender(signed, recovery)
      const keccak256 = (bytes: Uint8Array) => recovery.keccak256(bytes)
      return await recoverSenderLater(signed, keccak256, deferredRecovery)
    } catch (error) {
      if (!(error instanceof LockstepError)) throw error
      throw this.#remember(signed, refuse(`invalid sender: ${error.message}`))
    }
  }

  /** Takes back what the journal held, as far as the head still admits it. */
  #restore(): void {
    const { journal, onRestored } = this.#options
    if (journal === undefined) return
    const { records, lost } = journal.restore()
    const dropped = new Map<string, number>()
    for (const { raw, from, time, height } of records) {
      try {
        this.#admit({ ...this.#screen(raw), from }, { time, height })
      } catch (error) {
        if (!(error instanceof LockstepError)) throw error
        const [reason = error.message] = error.message.split(':')
        dropped.set(reason, (dropped.get(reason) ?? 0) + 1)
      }
    }
    this.#dropDead()
    onRestored?.({ transactions: this.size, dropped, lostBytes: lost })
  }

  /** Takes transactions of blocks out of the journal. */
  #dropDead(): void {
    const { journal } = this.#options
    // Before the first head the journal may hold records that have not been read yet.
    if (journal === undefined || this.#head === undefined) return
    if (journal.bytes <= this.bytes + this.size * RECORD_OVERHEAD) return
    try {
      this.keepWaiting()
    } catch (thrown) {
      if (!(thrown instanceof LockstepError)) throw thrown
      // A full disk: the old file has everything.
    }
  }

  #compactJournal(): void {
    const { journal } = this.#options
    if (journal === undefined) return
    const live = this.bytes + this.size * RECORD_OVERHEAD
    if (journal.bytes <= 2 * live + JOURNAL_SLACK) return
    void journal.rewrite(() => [...this.#contents.entries()].map(recordOf))
  }

  #announce(promoted: readonly Entry[]): void {
    for (const { transaction } of promoted) {
      for (const listener of this.#listeners) listener(transaction)
    }
  }

  #list(part: (queue: SenderQueue) => readonly Entry[]): PooledSender[] {
    const senders: PooledSender[] = []
    for (const queue of this.#contents.senders()) {
      const transactions = part(queue).map((entry) => entry.transaction)
      if (transactions.length > 0) senders.push({ sender: queue.address, transactions })
    }
    return senders
  }
}

function recordOf({ transaction, time, height }: Entry): PooledRecord {
  return { raw: transaction.raw, from: transaction.from, time, height }
}
