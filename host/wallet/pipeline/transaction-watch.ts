import { pause } from '../../base/timer.ts'
import type { EvmNode } from './evm-node.ts'
import type { PipelineTimes } from './pipeline-options.ts'
import type { RollbackFollower } from './removed-blocks.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { TransactionStore } from './transaction-store.ts'
import type { WalletSender, WalletSenders } from './wallet-senders.ts'

/** Accounts checked at once. */
const ACCOUNTS_AT_ONCE = 100

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
  readonly senders: WalletSenders
  readonly onTrouble: (error: unknown) => void
}

/** Follows the signed transactions of a chain until they are final. */
export class TransactionWatch {
  readonly #options: TransactionWatchOptions
  readonly #ended = new AbortController()
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
    const { node, store, caip2, senders, times, now } = this.#options
    const check = (sender: WalletSender) => sender.check()
    await this.#remind()
    const height = await node.height()
    const isNew = height !== this.#height
    if (!isNew && now() - this.#lookedAt < times.patienceMs) return
    const addresses = store.waitingAddresses(caip2)
    for (let at = 0; at < addresses.length; at += ACCOUNTS_AT_ONCE) {
      const some = addresses.slice(at, at + ACCOUNTS_AT_ONCE)
      await Promise.all(some.map((address) => senders.use(caip2, address, check)))
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
