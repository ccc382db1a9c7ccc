import type { Hex } from '../../base/hex.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { whenAborted } from '../../base/signal.ts'
import { delay, timeoutSignal } from '../../base/timer.ts'
import type { PaymentChain, PaymentReceipt } from '../chain/payment-chain.ts'

/** Maximum requests waiting for a block; further ones are answered at once with what is known. */
const MAX_WAITING = 1_024

/** The same limit per client. */
const MAX_WAITING_OF_CLIENT = 64

/** Maximum cached hashes known to be in no block. */
const MAX_UNKNOWN = 16_384

/** How long a hash stays unknown if no block arrives, ms. */
const UNKNOWN_MS = 1_000

/** Retry delay if the chain cannot report its next block, ms. */
const RETRY_MS = 100

/**
 * Looks up receipts of transactions that payers name. A hash costs the chain one query per block, however many
 * requests show it: an unknown hash stays unknown until the next block.
 */
export class TransferLookup {
  readonly #chain: PaymentChain
  readonly #asked = new Map<Hex, Promise<PaymentReceipt | undefined>>()
  readonly #unknown = new RecentCache<Hex, true>(MAX_UNKNOWN)
  readonly #waiting = new Map<string, number>()
  #waitingInAll = 0
  /** Resolves with the next block, or when watching for it fails. */
  #block: Promise<void> | undefined

  constructor(chain: PaymentChain) {
    this.#chain = chain
  }

  /**
   * Returns the receipt of a transaction; waits for it until the signal aborts.
   * @param client identity for the per-client limit
   * @param deadline maximum wait, ms
   */
  async receipt(
    txHash: Hex,
    client: string,
    deadline: number,
    request: AbortSignal,
  ): Promise<PaymentReceipt | undefined> {
    const first = await this.#ask(txHash)
    if (first !== undefined || request.aborted || !this.#enter(client)) return first
    const signal = AbortSignal.any([request, timeoutSignal(deadline)])
    const ended = whenAborted(signal)
    try {
      for (;;) {
        // Watch before querying, so that a block in between is not missed
        const block = this.#nextBlock()
        const found = await this.#ask(txHash)
        if (found !== undefined || signal.aborted) return found
        await Promise.race([block, ended])
      }
    } finally {
      this.#leave(client)
    }
  }

  async #ask(txHash: Hex): Promise<PaymentReceipt | undefined> {
    if (this.#unknown.get(txHash)) return undefined
    const asked = this.#asked.get(txHash)
    if (asked !== undefined) return asked
    const watched = this.#block
    const question = this.#chain.receipt(txHash)
    this.#asked.set(txHash, question)
    try {
      const found = await question
      // A block that arrived meanwhile may have it
      if (found === undefined && watched !== undefined && watched === this.#block)
        this.#unknown.set(txHash, true)
      return found
    } finally {
      this.#asked.delete(txHash)
    }
  }

  #nextBlock(): Promise<void> {
    this.#block ??= this.#watch().finally(() => {
      this.#block = undefined
      this.#unknown.clear()
    })
    return this.#block
  }

  /** Never rejects: a failure of the chain surfaces in the query itself. */
  async #watch(): Promise<void> {
    try {
      await this.#chain.nextBlock(timeoutSignal(UNKNOWN_MS))
    } catch {
      await delay(RETRY_MS)
    }
  }

  #enter(client: string): boolean {
    const waiting = this.#waiting.get(client) ?? 0
    if (this.#waitingInAll >= MAX_WAITING || waiting >= MAX_WAITING_OF_CLIENT) return false
    this.#waitingInAll++
    this.#waiting.set(client, waiting + 1)
    return true
  }

  #leave(client: string): void {
    this.#waitingInAll--
    const waiting = (this.#waiting.get(client) as number) - 1
    if (waiting === 0) this.#waiting.delete(client)
    else this.#waiting.set(client, waiting)
  }
}
