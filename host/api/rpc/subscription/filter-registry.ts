import { randomBytes } from 'node:crypto'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { startInterval, stopTimer, type Timer } from '../../../base/timer.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { FoundLog } from '../../../evm/chain-types/log-filter.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { LogQuery } from '../argument/log-filter.ts'
import { type CutChain, removedLogs } from './removed-logs.ts'
import type { SubscriptionLimits } from './subscription-limits.ts'

/** A filter as it was asked for; `next` is the first height, or the number of the first hash, not yet reported. */
export type Filter =
  | {
      readonly kind: 'logs'
      readonly query: LogQuery
      next: number
      /** Of blocks that were removed since the last poll. */
      removed: readonly FoundLog[]
    }
  | { readonly kind: 'blocks'; next: number }
  | { readonly kind: 'pending'; next: number }

interface Entry {
  readonly filter: Filter
  usedAt: number
}

/** Hashes kept for pending filters, all together; a filter that is behind further is removed. */
const MAX_PENDING_HASHES = 100_000

/**
 * Filters that clients poll. One that nobody asks for `filterIdleMs` is removed, and where there are too many the
 * one that was not asked for longest: who makes thousands and polls none locks nobody out.
 */
export class FilterRegistry {
  /** The one not asked for longest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #pool: TransactionPool
  readonly #limits: SubscriptionLimits
  readonly #sweep: Timer
  #stopPending: (() => void) | undefined
  /** Hashes of pending transactions, once for all filters. */
  #hashes: string[] = []
  /** Number of the first of them. */
  #firstHash = 0

  constructor(pool: TransactionPool, limits: SubscriptionLimits) {
    this.#pool = pool
    this.#limits = limits
    this.#sweep = startInterval(() => this.removeIdle(Date.now()), limits.filterIdleMs / 2)
    this.#sweep.unref()
  }

  get size(): number {
    return this.#entries.size
  }

  /** Id of the new filter. */
  add(filter: Filter): string {
    if (this.#entries.size >= this.#limits.filters) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    const id = formatData(randomBytes(16))
    this.#entries.set(id, { filter, usedAt: Date.now() })
    if (filter.kind === 'pending') {
      this.#stopPending ??= this.#pool.onPending(({ hash }) => this.#pend(formatData(hash)))
    }
    return id
  }

  /** The filter, which lives on for another idle time. @throws NOT_FOUND */
  use(id: string): Filter {
    const entry = this.#entries.get(id)
    if (entry === undefined) throw new LockstepError('NOT_FOUND', 'filter not found')
    entry.usedAt = Date.now()
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.filter
  }

  /** Number of the next hash: where a pending filter begins. */
  get nextHash(): number {
    return this.#firstHash + this.#hashes.length
  }

  /** The hashes that a pending filter has not reported yet. @throws NOT_FOUND where it is too far behind. */
  newHashes(id: string, filter: { next: number }): string[] {
    if (filter.next < this.#firstHash) {
      this.remove(id)
      throw new LockstepError('NOT_FOUND', 'filter not found')
    }
    const hashes = this.#hashes.slice(filter.next - this.#firstHash)
    filter.next = this.nextHash
    return hashes
  }

  /** The blocks above `height` are about to be removed: polls tell of their logs, and of the blocks that follow. */
  cut(height: number, chain: CutChain, keccak256: Keccak256): void {
    const first = height + 1
    for (const { filter } of this.#entries.values()) {
      if (filter.kind === 'pending' || filter.next <= first) continue
      if (filter.kind === 'logs') {
        const { query, next, removed } = filter
        const { fromBlock, toBlock } = query
        const from = fromBlock.kind === 'height' ? Math.max(fromBlock.height, first) : first
        const to = toBlock.kind === 'height' ? Math.min(toBlock.height, next - 1) : next - 1
        filter.removed = [...removed, ...removedLogs(chain, query, from, to, keccak256)]
      }
      filter.next = first
    }
  }

  /** True where the filter existed. */
  remove(id: string): boolean {
    return this.#entries.delete(id)
  }

  /** Removes the filters that were last used before the idle time ending at `now` (ms since 1970). */
  removeIdle(now: number): void {
    for (const [id, { usedAt }] of this.#entries) {
      if (now - usedAt >= this.#limits.filterIdleMs) this.#entries.delete(id)
    }
  }

  close(): void {
    stopTimer(this.#sweep)
    this.#stopPending?.()
    this.#entries.clear()
  }

  #pend(hash: string): void {
    this.#hashes.push(hash)
    // Half at a time: not one by one, each of which would move all.
    if (this.#hashes.length < 2 * MAX_PENDING_HASHES) return
    this.#hashes = this.#hashes.slice(MAX_PENDING_HASHES)
    this.#firstHash += MAX_PENDING_HASHES
  }
}
