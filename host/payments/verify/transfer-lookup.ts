import type { Hex } from '../../base/hex.ts'
import { delay, timeoutSignal } from '../../base/timer.ts'
import type { PaymentChain, PaymentReceipt } from '../chain/payment-chain.ts'

/** Requests that wait for a block with their transaction; more are answered with what is known at once. */
const MAX_WAITING = 1_024

/** The same for each client. */
const MAX_WAITING_OF_CLIENT = 64

/** Hashes known to be in no block yet: while there are more, the first of them are asked for again. */
const MAX_UNKNOWN = 16_384

/** Time that a chain without blocks keeps an unknown hash unknown, ms. */
const UNKNOWN_MS = 1_000

/** Time to the next question where the chain cannot say when its next block comes, ms. */
const RETRY_MS = 100

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Receipts of transactions that payers name. A hash costs the chain one question a block, however many requests show
 * it: what is unknown stays so until the next block.
 */
export class TransferLookup {
  readonly #chain: PaymentChain
  readonly #asked = new Map<Hex, Promise<PaymentReceipt | undefined>>()
  readonly #unknown = new Set<Hex>()
  readonly #waiting = new Map<string, number>()
  #waitingInAll = 0
  /** Resolves with the next block, or when it does not come. */
  #block: Promise<void> | undefined

  constructor(chain: PaymentChain) {
    this.#chain = chain
  }

  /**
   * The receipt of a transaction, waited for until the signal aborts.
   * @param client who is told apart from others by the bounds
   * @param deadline milliseconds after which it is not waited for any more
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
    const ended = aborted(signal)
    try {
      for (;;) {
        // Watched before the question is asked: a block between the two is not missed
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
    if (this.#unknown.has(txHash)) return undefined
    const asked = this.#asked.get(txHash)
    if (asked !== undefined) return asked
    const watched = this.#block
    const question = this.#chain.receipt(txHash)
    this.#asked.set(txHash, question)
    try {
      const found = await question
      // A block that came meanwhile may have it
      if (found === undefined && watched !== undefined && watched === this.#block) {
        if (this.#unknown.size >= MAX_UNKNOWN) this.#unknown.clear()
        this.#unknown.add(txHash)
      }
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

  /** Never rejects: whether the chain can be asked is for the question itself to say. */
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
