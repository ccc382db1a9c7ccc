import { randomBytes } from 'node:crypto'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { startInterval, stopTimer, type Timer } from '../../../base/timer.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { FoundLog } from '../../../evm/chain-types/log-filter.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { LogQueryArgument } from '../argument/log-filter.ts'
import { type CutChain, removedLogs } from './removed-logs.ts'
import type { RpcSubscriptionLimits } from './subscription-limits.ts'

/** A filter as requested. `next` is the first height, or the number of the first hash, not yet reported. */
export type Filter =
  | {
      readonly kind: 'logs'
      readonly query: LogQueryArgument
      next: number
      /** Logs of blocks removed since the last poll. */
      removed: readonly FoundLog[]
    }
  | { readonly kind: 'blocks'; next: number }
  | { readonly kind: 'pending'; next: number }

interface Entry {
  readonly filter: Filter
  usedAt: number
}

/** Maximum hashes retained for all pending filters; a filter that is further behind is removed. */
const MAX_PENDING_HASHES = 100_000

/**
 * Filters that clients poll. A filter is removed if it is not polled for `filterIdleMs`. If there are too many, the
 * least recently polled one is removed, so that unused filters cannot lock out other clients.
 */
export class FilterRegistry {
  /** Least recently polled first. */
  readonly #entries = new Map<string, Entry>()
  readonly #pool: TransactionPool
  readonly #limits: RpcSubscriptionLimits
  readonly #sweep: Timer
  #stopPending: (() => void) | undefined
  /** Hashes of pending transactions, shared by all filters. */
  #hashes: string[] = []
  /** Number of the first hash. */
  #firstHash = 0

  constructor(pool: TransactionPool, limits: RpcSubscriptionLimits) {
    this.#pool = pool
    this.#limits = limits
    this.#sweep = startInterval(() => this.removeIdle(Date.now()), limits.filterIdleMs / 2)
    this.#sweep.unref()
  }

  get size(): number {
    return this.#entries.size
  }

  /** Adds a filter and returns its id. */
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

  /** Returns the filter and restarts its idle time. @throws NOT_FOUND */
  use(id: string): Filter {
    const entry = this.#entries.get(id)
    if (entry === undefined) throw new LockstepError('NOT_FOUND', 'filter not found')
    entry.usedAt = Date.now()
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.filter
  }

  /** Number of the next hash, with which a new pending filter starts. */
  get nextHash(): number {
    return this.#firstHash + this.#hashes.length
  }

  /** Returns the hashes not yet reported to a pending filter. @throws NOT_FOUND if it is too far behind. */
  newHashes(id: string, filter: { next: number }): string[] {
    if (filter.next < this.#firstHash) {
      this.remove(id)
      throw new LockstepError('NOT_FOUND', 'filter not found')
    }
    const hashes = this.#hashes.slice(filter.next - this.#firstHash)
    filter.next = this.nextHash
    return hashes
  }

  /**
   * Called before the blocks above `height` are removed. Polls then report their logs as removed, and the new blocks.
   */
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

  /** Returns true if the filter existed. */
  remove(id: string): boolean {
    return this.#entries.delete(id)
  }

  /** Removes the filters that have been idle for `filterIdleMs` at `now` (ms since 1970). */
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
    // Half at a time, because removing single hashes would move all others each time.
    if (this.#hashes.length < 2 * MAX_PENDING_HASHES) return
    this.#hashes = this.#hashes.slice(MAX_PENDING_HASHES)
    this.#firstHash += MAX_PENDING_HASHES
  }
}
