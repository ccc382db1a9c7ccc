import { bytesKey } from '../../../base/bytes.ts'
import type { CandidateSource, OpenCandidates } from '../../../evm/execute/candidates.ts'
import { EvictionOrder } from './eviction-order.ts'
import { ProposalOrder } from './proposal-order.ts'
import type { PoolEntry, SenderAccount, SenderQueue } from './sender-queue.ts'

/** Why a transaction left the pool without a block. */
export type DropReason = 'replaced' | 'evicted' | 'expired' | 'unpayable' | 'hopeless' | 'unkept'

/** An evicted entry and its sender's queue. */
export interface Evicted {
  readonly queue: SenderQueue
  readonly entry: PoolEntry
}

/** Holds and counts the pool's transactions. Contains no policy. */
export class PoolContents {
  readonly dropped: Record<DropReason, number> = {
    replaced: 0,
    evicted: 0,
    expired: 0,
    unpayable: 0,
    hopeless: 0,
    unkept: 0,
  }
  readonly order: EvictionOrder
  readonly #proposals: ProposalOrder
  readonly #senders = new Map<string, SenderQueue>()
  readonly #entries = new Map<string, PoolEntry>()
  #rawBytes = 0
  #bytes = 0
  #queuedCount = 0
  #queuedBytes = 0
  #version = 0

  /** @param isByArrival as of `ProposalOrder` */
  constructor(accountSlots: number, isByArrival: boolean) {
    this.#proposals = new ProposalOrder(isByArrival)
    this.order = new EvictionOrder(this.#senders, accountSlots)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Total encoded bytes of all transactions. */
  get rawBytes(): number {
    return this.#rawBytes
  }

  /** Memory use of all transactions. */
  get bytes(): number {
    return this.#bytes
  }

  get queuedCount(): number {
    return this.#queuedCount
  }

  /** Memory use of queued transactions. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Differs after every change. */
  get version(): number {
    return this.#version
  }

  find(hash: Uint8Array): PoolEntry | undefined {
    return this.#entries.get(bytesKey(hash))
  }

  queueOf(sender: Uint8Array): SenderQueue | undefined {
    return this.#senders.get(bytesKey(sender))
  }

  entries(): Iterable<PoolEntry> {
    return this.#entries.values()
  }

  senders(): Iterable<SenderQueue> {
    return this.#senders.values()
  }

  /** Returns the executable transactions in the order in which a block with `baseFee` takes them. */
  candidates(...asked: Parameters<ProposalOrder['candidates']>): CandidateSource {
    return this.#proposals.candidates(...asked)
  }

  /** Like `candidates`, plus what arrives until it is closed. */
  openCandidates(...asked: Parameters<ProposalOrder['openCandidates']>): OpenCandidates {
    return this.#proposals.openCandidates(...asked)
  }

  /** Adds an entry and returns the entries that became executable. */
  add(queue: SenderQueue, entry: PoolEntry): readonly PoolEntry[] {
    this.#senders.set(queue.key, queue)
    this.#entries.set(entry.key, entry)
    entry.isGone = false
    this.#rawBytes += entry.transaction.raw.length
    this.#bytes += entry.bytes
    if (entry.time > queue.lastArrival) queue.lastArrival = entry.time
    return this.#change(queue, () => queue.add(entry))
  }

  remove(entry: PoolEntry, reason: DropReason): void {
    const queue = this.queueOf(entry.transaction.from)
    if (queue === undefined || !this.#forget(entry)) return
    this.dropped[reason]++
    this.#change(queue, () => queue.remove(entry))
  }

  /** Removes a sender's last executable or queued entry in favour of another sender. */
  evict(queue: SenderQueue, entry: PoolEntry): Evicted {
    this.remove(entry, 'evicted')
    return { queue, entry }
  }

  /** Undoes evictions. Must be called before any other change. */
  giveBack(evicted: readonly Evicted[]): void {
    for (const { queue, entry } of evicted) {
      this.dropped.evicted--
      this.add(queue, entry)
    }
  }

  /** Applies an account's state after a block and returns the entries that became executable. */
  update(sender: Uint8Array, account: SenderAccount): readonly PoolEntry[] {
    const queue = this.queueOf(sender)
    if (queue === undefined) return []
    const { dropped, promoted } = this.#change(queue, () => queue.update(account))
    for (const entry of dropped) {
      this.#forget(entry)
      if (entry.transaction.nonce >= account.nonce) this.dropped.unpayable++
    }
    return promoted
  }

  #forget(entry: PoolEntry): boolean {
    if (this.#entries.get(entry.key) !== entry) return false
    this.#entries.delete(entry.key)
    entry.isGone = true
    this.#rawBytes -= entry.transaction.raw.length
    this.#bytes -= entry.bytes
    return true
  }

  #change<Result>(queue: SenderQueue, change: () => Result): Result {
    const { queuedCount, queuedBytes } = queue
    const result = change()
    this.#queuedCount += queue.queuedCount - queuedCount
    this.#queuedBytes += queue.queuedBytes - queuedBytes
    this.#version++
    this.order.note(queue)
    this.#proposals.note(queue)
    if (queue.length === 0) this.#senders.delete(queue.key)
    return result
  }
}
