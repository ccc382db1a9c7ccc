import { randomBytes } from 'node:crypto'
import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { HeadFeed } from '../../../chain/consensus/head-feed.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import {
  bloomTest,
  type FoundLog,
  type LogFilter,
  matchingLogs,
} from '../../../evm/chain-types/log-filter.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { ChainRules } from '../../../evm/execute/chain-rules.ts'
import type { ExecutedBlock } from '../../../storage/store/codec/block-record.ts'
import type { ClientQuota } from '../../server/work-scheduler.ts'
import { headerRecord } from '../format/block-record.ts'
import { logText } from '../format/log-record.ts'
import { receiptText } from '../format/receipt-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { NotificationQueue } from './notification-queue.ts'
import { type CutChain, removedLogs } from './removed-logs.ts'
import type { RpcSubscriptionLimits } from './subscription-limits.ts'

/** A connection that receives notifications. */
export interface NotificationSink {
  /** The account to which its subscriptions are charged. */
  readonly account: ClientQuota
  /** Closes a connection that is too far behind. */
  giveUp(): void
  /** Sends one JSON text. A connection that falls behind closes itself. */
  notify(text: string): void
  /** Streams one JSON text as fast as the connection reads; resolves when it is sent or the connection has closed. */
  send(pieces: AsyncIterable<BorrowedView>): Promise<void>
}

/** A kind of event to subscribe to. */
export type SubscriptionTopic =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  /** Receipts of each block's transactions, of all or of those with the hashes. */
  | { readonly kind: 'transactionReceipts'; readonly hashes: readonly Uint8Array[] }
  /** Start and end of catching up, of which a node that answers has none. */
  | { readonly kind: 'syncing' }

interface Subscription<Kind extends SubscriptionTopic = SubscriptionTopic> {
  readonly id: string
  readonly subscriber: NotificationSink
  readonly topic: Kind
}

type TopicOf<Name extends SubscriptionTopic['kind']> = Extract<SubscriptionTopic, { kind: Name }>

function notification(id: string, result: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`
}

/** Announces heads, logs and pending transactions. Each is encoded as JSON once for all subscribers. */
export class SubscriptionHub {
  readonly #rules: Pick<ChainRules, 'ethereumHeader'>
  readonly #keccak256: Keccak256
  readonly #limits: RpcSubscriptionLimits
  readonly #heads = new Map<string, Subscription<TopicOf<'newHeads'>>>()
  readonly #logs = new Map<string, Subscription<TopicOf<'logs'>>>()
  readonly #pending = new Map<string, Subscription<TopicOf<'newPendingTransactions'>>>()
  readonly #receipts = new Map<string, Subscription<TopicOf<'transactionReceipts'>>>()
  readonly #syncing = new Map<string, Subscription<TopicOf<'syncing'>>>()
  /** Subscriptions whose notifications other code sends. */
  readonly #driven = new Map<string, AbortController>()
  readonly #owned = new Map<NotificationSink, Owned>()
  readonly #stops: readonly (() => void)[]

  constructor(
    heads: HeadFeed,
    pool: TransactionPool,
    rules: Pick<ChainRules, 'ethereumHeader'>,
    keccak256: Keccak256,
    limits: RpcSubscriptionLimits,
  ) {
    this.#rules = rules
    this.#keccak256 = keccak256
    this.#limits = limits
    this.#stops = [
      heads.onBlock((executed) => this.#announceBlock(executed)),
      pool.onPending((transaction) => this.#announcePending(transaction)),
    ]
  }

  get size(): number {
    const kinds = [this.#heads, this.#logs, this.#pending, this.#receipts, this.#syncing]
    return kinds.reduce((sum, { size }) => sum + size, this.#driven.size)
  }

  /** Adds a subscription and returns its id. @throws LIMIT_EXCEEDED */
  subscribe(subscriber: NotificationSink, topic: SubscriptionTopic): string {
    const owned = this.#owned.get(subscriber) ?? newOwner(subscriber)
    if (owned.ids.size >= this.#limits.connectionSubscriptions) throw full()
    const id = formatData(randomBytes(16))
    this.#add(id, subscriber, topic)
    owned.ids.add(id)
    this.#owned.set(subscriber, owned)
    return id
  }

  /**
   * Adds a subscription whose notifications the caller sends. The signal is aborted when the subscription ends or the
   * connection closes.
   * @throws LIMIT_EXCEEDED
   */
  open(subscriber: NotificationSink): { readonly id: string; readonly signal: AbortSignal } {
    const owned = this.#owned.get(subscriber) ?? newOwner(subscriber)
    if (owned.ids.size >= this.#limits.connectionSubscriptions) throw full()
    const id = formatData(randomBytes(16))
    const controller = new AbortController()
    this.#driven.set(id, controller)
    owned.ids.add(id)
    this.#owned.set(subscriber, owned)
    return { id, signal: controller.signal }
  }

  /** Returns true if the subscriber had the subscription. */
  unsubscribe(subscriber: NotificationSink, id: string): boolean {
    const owned = this.#owned.get(subscriber)
    if (owned === undefined || !owned.ids.delete(id)) return false
    this.#forget(id)
    return true
  }

  /** Ends all subscriptions of a closed connection. */
  drop(subscriber: NotificationSink): void {
    const owned = this.#owned.get(subscriber)
    if (owned === undefined) return
    for (const id of owned.ids) this.#forget(id)
    owned.outbox.close()
    this.#owned.delete(subscriber)
  }

  close(): void {
    for (const stop of this.#stops) stop()
    for (const subscriber of [...this.#owned.keys()]) this.drop(subscriber)
  }

  #add(id: string, subscriber: NotificationSink, topic: SubscriptionTopic): void {
    const { headSubscriptions, logSubscriptions } = this.#limits
    switch (topic.kind) {
      case 'newHeads':
        if (this.#heads.size >= headSubscriptions) throw full()
        this.#heads.set(id, { id, subscriber, topic })
        break
      case 'logs':
        if (this.#logs.size >= logSubscriptions) throw full()
        this.#logs.set(id, { id, subscriber, topic })
        break
      case 'newPendingTransactions':
        if (this.#pending.size >= headSubscriptions) throw full()
        this.#pending.set(id, { id, subscriber, topic })
        break
      case 'transactionReceipts':
        if (this.#receipts.size >= logSubscriptions) throw full()
        this.#receipts.set(id, { id, subscriber, topic })
        break
      case 'syncing':
        if (this.#syncing.size >= headSubscriptions) throw full()
        this.#syncing.set(id, { id, subscriber, topic })
        break
    }
  }

  #forget(id: string): void {
    this.#heads.delete(id)
    this.#logs.delete(id)
    this.#pending.delete(id)
    this.#receipts.delete(id)
    this.#syncing.delete(id)
    this.#driven.get(id)?.abort()
    this.#driven.delete(id)
  }

  /**
   * Called before the blocks above `height` are removed: reports their logs as removed. Returns a function that
   * announces the new head after the removal.
   */
  cut(height: number, chain: CutChain): () => void {
    for (const { ids, outbox } of this.#owned.values()) {
      for (const id of ids) {
        const logs = this.#logs.get(id)
        if (logs === undefined) continue
        const { filter } = logs.topic
        const found = removedLogs(chain, filter, height + 1, chain.latest, this.#keccak256)
        outbox.add(notifyOfLogs(logs, found))
      }
    }
    return () => {
      const header = chain.header(height)
      if (header === undefined) return
      const head = JSON.stringify(headerRecord(header, this.#rules))
      for (const { ids, outbox } of this.#owned.values()) {
        outbox.add(this.#notifyOfHead([...ids], head))
      }
    }
  }

  *#notifyOfHead(ids: readonly string[], head: string): Generator<void> {
    for (const id of ids) {
      this.#heads.get(id)?.subscriber.notify(notification(id, head))
      yield
    }
  }

  #announceBlock(executed: ExecutedBlock): void {
    const { header } = executed.block
    let head: string | undefined
    const headText = () => {
      head ??= JSON.stringify(headerRecord(header, this.#rules))
      return head
    }
    for (const { ids, outbox } of this.#owned.values()) {
      outbox.add(this.#notifyOfBlock([...ids], executed, headText))
    }
  }

  *#notifyOfBlock(
    ids: readonly string[],
    { block: { header }, receipts }: ExecutedBlock,
    headText: () => string,
  ): Generator<void> {
    for (const id of ids) {
      this.#heads.get(id)?.subscriber.notify(notification(id, headText()))
      yield
      yield* this.#notifyOfReceipts(id, header, receipts)
      const logs = this.#logs.get(id)
      if (logs === undefined) continue
      const { filter } = logs.topic
      if (!bloomTest(filter, this.#keccak256)(header.logsBloom)) continue
      yield* notifyOfLogs(logs, matchingLogs(filter, header, receipts))
    }
  }

  /** Sends the matching receipts of a block in one notification, like geth. */
  *#notifyOfReceipts(
    id: string,
    header: BlockHeader,
    receipts: readonly Receipt[],
  ): Generator<void> {
    const subscription = this.#receipts.get(id)
    if (subscription === undefined) return
    const { subscriber, topic } = subscription
    const isWanted = ({ transactionHash }: Receipt) =>
      topic.hashes.length === 0 || topic.hashes.some((hash) => equalBytes(hash, transactionHash))
    const texts: string[] = []
    let firstLog = 0
    for (const [index, receipt] of receipts.entries()) {
      if (isWanted(receipt)) {
        texts.push(receiptText(receipt, { header, index, firstLog }))
        yield
      }
      firstLog += receipt.logs.length
    }
    if (texts.length > 0) subscriber.notify(notification(id, `[${texts.join(',')}]`))
  }

  #announcePending(transaction: Transaction): void {
    if (this.#pending.size === 0) return
    const hash = `"${formatData(transaction.hash)}"`
    let record: string | undefined
    const recordText = () => {
      record ??= JSON.stringify(transactionRecord(transaction, undefined))
      return record
    }
    for (const { ids, outbox } of this.#owned.values()) {
      outbox.add(this.#notifyOfPending([...ids], hash, recordText))
    }
  }

  *#notifyOfPending(
    ids: readonly string[],
    hash: string,
    recordText: () => string,
  ): Generator<void> {
    for (const id of ids) {
      const pending = this.#pending.get(id)
      if (pending === undefined) continue
      const { subscriber, topic } = pending
      subscriber.notify(notification(id, topic.full ? recordText() : hash))
      yield
    }
  }
}

function* notifyOfLogs(
  { id, subscriber }: Subscription,
  found: Iterable<FoundLog>,
): Generator<void> {
  for (const { log, place } of found) {
    subscriber.notify(notification(id, logText(log, place)))
    yield
  }
}

/** The subscriptions of a connection, and its queued notifications. */
interface Owned {
  readonly ids: Set<string>
  readonly outbox: NotificationQueue
}

function newOwner(subscriber: NotificationSink): Owned {
  return {
    ids: new Set(),
    outbox: new NotificationQueue(subscriber.account, () => subscriber.giveUp()),
  }
}

function full(): LockstepError {
  return new LockstepError('LIMIT_EXCEEDED', 'no new subscription can be created')
}
