import type { Hex } from '../../base/hex.ts'
import { delay } from '../../base/timer.ts'
import type { EvmNode } from './evm-node.ts'
import { handInAgain } from './hand-in.ts'
import type { PipelineTimes } from './pipeline-times.ts'
import type { RemovedBlocks } from './removed-blocks.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Looks at a used nonce before its attempts are given up: behind an address may be nodes that are a block apart. */
const LOOKS = 3

/** Accounts that are asked about at once. */
const ACCOUNTS_AT_ONCE = 100

/** Transactions of an account that are sent again at once: a pool keeps that many of one. */
const RESENT = 64

/** Transactions whose block is looked at again at once. */
const CHECKED = 200

export interface WatchOptions {
  readonly caip2: string
  readonly node: EvmNode
  readonly store: TransactionStore
  readonly progress: TransactionProgress
  readonly removed: RemovedBlocks
  readonly times: PipelineTimes
  readonly now: () => number
  /** True while whoever has asked for it hands it in for the first time. */
  readonly isHandedIn: (id: string) => boolean
  readonly onTrouble: (error: unknown) => void
}

interface Seen {
  /** The nonce that waits to be executed. */
  readonly lowest: number
  /** Looks that found it waiting. */
  readonly looks: number
}

/** Follows what was signed for a chain until the chain can change nothing more about it. */
export class TransactionWatch {
  readonly #options: WatchOptions
  readonly #ended = new AbortController()
  readonly #seen = new Map<Hex, Seen>()
  readonly #running: Promise<void>
  #wake: () => void = () => {}
  #height = -1
  #lookedAt = 0
  #isAway = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Something new waits. */
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
      // A developer may take back what no other chain changes any more.
      if (isDevelopment !== false || store.hasOpen(caip2)) {
        try {
          isDevelopment = await removed.follow()
          if (store.hasOpen(caip2)) await this.#look()
          this.#isAway = false
        } catch (error) {
          // Said once: a node that is away is asked again and again.
          const isMissed = store.hasOpen(caip2)
          if (!this.#isAway && isMissed) onTrouble(error)
          this.#isAway ||= isMissed
        }
        await delay(times.pollMs, { signal }).catch(() => {})
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

  /** Tells of what waits for too long. */
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
      // The lowest is looked for whatever the node says of the nonce: it may be wrong.
      if (nonce >= latest && nonce !== nonces[0]) break
      await this.#conclude(address, nonce, latest)
    }
    await this.#resend(address)
  }

  /** What has become of a nonce. */
  async #conclude(address: Hex, nonce: number, latest: number): Promise<void> {
    const { node, store, caip2, progress } = this.#options
    for (const { hash, transaction_id: id } of store.attemptsAt(caip2, address, nonce)) {
      const executed = await node.executed(hash)
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

  /** Sends what no node has taken yet; and what waits for longer than a block again, in case a pool has lost it. */
  async #resend(address: Hex): Promise<void> {
    const { node, store, caip2, progress, times, now, isHandedIn } = this.#options
    const waiting = store.waiting(caip2, address, RESENT)
    const lowest = waiting[0]?.nonce ?? -1
    const before = this.#seen.get(address)
    const looks = before?.lowest === lowest ? before.looks + 1 : 1
    this.#seen.set(address, { lowest, looks })
    // Each time twice as many looks later: a pool seldom loses anything.
    const isLate = looks > 2 && (looks & (looks - 1)) === 0
    for (const row of waiting) {
      if (row.status === 'pending' ? isHandedIn(row.id) : !isLate) continue
      await handInAgain({ node, store, progress, now, giveUpMs: times.giveUpMs }, row)
    }
  }

  /** What is in blocks that stay is done; what is in none any more waits again. */
  async #settle(height: number): Promise<void> {
    const { node, store, caip2, progress } = this.#options
    const finalized = await node.finalized(height)
    const rows = store.executed(caip2, Math.min(finalized, height), CHECKED)
    await Promise.all(
      rows.map(async ({ id, hash, block_hash }) => {
        if (hash === null) return
        const executed = await node.executed(hash)
        if (executed === undefined) await progress.returned(id)
        else if (executed.block.hash !== block_hash) await progress.executed(id, hash, executed)
        else await progress.finalized(id)
      }),
    )
  }

  /** What was given up may be in a block all the same, where the node was wrong. */
  async #lookBack(): Promise<void> {
    const { node, store, caip2, progress, times, now } = this.#options
    const rows = store.doubtful(caip2, now() - times.doubtMs, CHECKED)
    await Promise.all(
      rows.map(async ({ id }) => {
        for (const { hash } of store.attempts(id)) {
          const executed = await node.executed(hash)
          if (executed !== undefined) await progress.executed(id, hash, executed)
        }
      }),
    )
  }
}
