import type { Hex } from '../../base/hex.ts'
import { pause } from '../../base/timer.ts'
import type { EvmNode } from './evm-node.ts'
import type { PipelineTimes } from './pipeline-options.ts'
import { rebroadcast } from './rebroadcast.ts'
import type { RollbackFollower } from './removed-blocks.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { TransactionStore } from './transaction-store.ts'

/**
 * Checks of a used nonce before its attempts are given up: an address may have nodes behind it that are a block
 * apart.
 */
const LOOKS = 3

/** Accounts checked at once. */
const ACCOUNTS_AT_ONCE = 100

/** Transactions of one account rebroadcast at once. Pools hold about as many per account. */
const RESENT = 64

/** Transactions whose block is checked at once. */
const CHECKED = 200

export interface TransactionWatchOptions {
  readonly caip2: string
  readonly node: EvmNode
  readonly store: TransactionStore
  readonly progress: TransactionProgress
  readonly removed: RollbackFollower
  readonly times: PipelineTimes
  readonly now: () => number
  /** True while the transaction is in its first broadcast. */
  readonly isFirstBroadcast: (id: string) => boolean
  readonly onTrouble: (error: unknown) => void
}

interface Seen {
  /** The lowest waiting nonce. */
  readonly lowest: number
  /** Checks that found it waiting. */
  readonly looks: number
}

/** Follows the signed transactions of a chain until they are final. */
export class TransactionWatch {
  readonly #options: TransactionWatchOptions
  readonly #ended = new AbortController()
  readonly #seen = new Map<Hex, Seen>()
  readonly #running: Promise<void>
  #wake: () => void = () => {}
  #height = -1
  #lookedAt = 0
  #isAway = false

  constructor(options: TransactionWatchOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Resumes watching for a new transaction. */
  wake(): void {
    this.#wake()
  }

  async close(): Promise<void> {
    this.#ended.abort()
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { store, caip2, times, removed, onTrouble } = this.#options
    const { signal } = this.#ended
    let isDevelopment: boolean | undefined
    while (!signal.aborted) {
      // A development chain may roll back what would be final on any other.
      if (isDevelopment !== false || store.hasOpen(caip2)) {
        try {
          isDevelopment = await removed.follow()
          if (store.hasOpen(caip2)) await this.#look()
          this.#isAway = false
        } catch (error) {
          // Reported once per outage.
          const isMissed = store.hasOpen(caip2)
          if (!this.#isAway && isMissed) onTrouble(error)
          this.#isAway ||= isMissed
        }
        await pause(times.pollMs, signal)
      } else {
        await this.#untilWoken()
      }
    }
  }

  async #untilWoken(): Promise<void> {
    if (this.#ended.signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  async #look(): Promise<void> {
    const { node, store, caip2, times, now } = this.#options
    await this.#remind()
    const height = await node.height()
    const isNew = height !== this.#height
    if (!isNew && now() - this.#lookedAt < times.patienceMs) return
    const addresses = store.waitingAddresses(caip2)
    for (const known of this.#seen.keys()) if (!addresses.includes(known)) this.#seen.delete(known)
    for (let at = 0; at < addresses.length; at += ACCOUNTS_AT_ONCE) {
      const some = addresses.slice(at, at + ACCOUNTS_AT_ONCE)
      await Promise.all(some.map((address) => this.#lookAt(address)))
    }
    await this.#settle(height)
    await this.#lookBack()
    this.#height = height
    this.#lookedAt = now()
  }

  /** Sends `still_pending` for transactions that wait too long. */
  async #remind(): Promise<void> {
    const { store, caip2, progress, times, now } = this.#options
    const overdue = store.overdue(caip2, now() - times.stillPendingMs)
    await Promise.all(overdue.map(({ id }) => progress.stillPending(id)))
  }

  async #lookAt(address: Hex): Promise<void> {
    const { node, store, caip2 } = this.#options
    const latest = await node.nonce(address, 'latest')
    const waiting = store.waiting(caip2, address, CHECKED)
    const nonces = [...new Set(waiting.map(({ nonce }) => Number(nonce)))]
    for (const nonce of nonces) {
      // The lowest nonce is always checked: the node's answer may be wrong.
      if (nonce >= latest && nonce !== nonces[0]) break
      await this.#conclude(address, nonce, latest)
    }
    await this.#resend(address)
  }

  /** Determines the result of a nonce. */
  async #conclude(address: Hex, nonce: number, latest: number): Promise<void> {
    const { node, store, caip2, progress } = this.#options
    for (const { hash, transaction_id: id } of store.attemptsAt(caip2, address, nonce)) {
      const executed = await node.includedTransaction(hash)
      if (executed !== undefined) {
        await progress.executed(id, hash, executed)
        return
      }
    }
    if (nonce >= latest) return
    for (const { id, missed } of store.waitingAt(caip2, address, nonce)) {
      if (missed + 1 < LOOKS) await progress.missed(id, missed + 1)
      else
        await progress.ended(id, 'replaced', 'another transaction was executed with the same nonce')
    }
  }

  /**
   * Broadcasts what no node has accepted, and rebroadcasts what has waited for several checks, in case a pool dropped
   * it.
   */
  async #resend(address: Hex): Promise<void> {
    const { node, store, caip2, progress, times, now, isFirstBroadcast } = this.#options
    const waiting = store.waiting(caip2, address, RESENT)
    const lowest = waiting[0]?.nonce ?? -1
    const before = this.#seen.get(address)
    const looks = before?.lowest === lowest ? before.looks + 1 : 1
    this.#seen.set(address, { lowest, looks })
    // Exponential backoff: pools rarely drop transactions.
    const isLate = looks > 2 && (looks & (looks - 1)) === 0
    for (const row of waiting) {
      if (row.status === 'pending' ? isFirstBroadcast(row.id) : !isLate) continue
      await rebroadcast({ node, store, progress, now, giveUpMs: times.giveUpMs }, row)
    }
  }

  /** Finalizes transactions in finalized blocks and reopens those that left the chain. */
  async #settle(height: number): Promise<void> {
    const { node, store, caip2, progress } = this.#options
    const finalized = await node.finalized(height)
    const rows = store.executed(caip2, Math.min(finalized, height), CHECKED)
    await Promise.all(
      rows.map(async ({ id, hash, block_hash }) => {
        if (hash === null) return
        const executed = await node.includedTransaction(hash)
        if (executed === undefined) await progress.returned(id)
        else if (executed.block.hash !== block_hash) await progress.executed(id, hash, executed)
        else await progress.finalized(id)
      }),
    )
  }

  /** Looks up given-up transactions, which may be in a block if the node was wrong. */
  async #lookBack(): Promise<void> {
    const { node, store, caip2, progress, times, now } = this.#options
    const rows = store.doubtful(caip2, now() - times.doubtMs, CHECKED)
    await Promise.all(
      rows.map(async ({ id }) => {
        for (const { hash } of store.attempts(id)) {
          const executed = await node.includedTransaction(hash)
          if (executed !== undefined) await progress.executed(id, hash, executed)
        }
      }),
    )
  }
}
