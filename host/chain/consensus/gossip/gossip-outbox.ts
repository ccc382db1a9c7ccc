import { bytesKey } from '../../../base/bytes.ts'
import { messageOf } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { Broadcast, BroadcastOutcome } from './comet-broadcast.ts'

export interface GossipOutboxOptions {
  /** Returns a transaction of the pool; undefined if it has left, in which case it is not sent. */
  readonly find: (hash: Uint8Array) => Transaction | undefined
  readonly broadcast: Broadcast
  /** CometBFT has accepted it. */
  readonly onTaken: (hash: Uint8Array) => void
  /** CometBFT has rejected it for good. */
  readonly onRefused: (transaction: Transaction, reason: string) => void
  /** Called with the number of transactions that wait until CometBFT answers again. */
  readonly onUnsent: (waiting: number, reason: string) => void
}

/** Pause between attempts while CometBFT does not answer or is full. */
const RETRY_MS = 1_000

/** Limits of one request: about 0.1 s of CometBFT's time. */
const MAX_TRANSACTIONS = 500
const MAX_BYTES = 1 << 20

/**
 * FIFO queue of transactions for CometBFT. Sends one request at a time, with all transactions that have arrived
 * since.
 */
export class GossipOutbox {
  readonly #options: GossipOutboxOptions
  /** Transaction hashes by their string keys. */
  #waiting = new Map<string, Uint8Array>()
  /** Ends the pause before the next request; undefined outside a pause. */
  #endPause: (() => void) | undefined
  #isRunning = false
  #isClosed = false

  constructor(options: GossipOutboxOptions) {
    this.#options = options
  }

  /** Number of unsent transactions. */
  get size(): number {
    return this.#waiting.size
  }

  push(hash: Uint8Array): void {
    if (this.#isClosed) return
    this.#waiting.set(bytesKey(hash), hash)
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run()
  }

  /** Ends a pause: CometBFT may have room or answer again. */
  wake(): void {
    this.#endPause?.()
  }

  close(): void {
    this.#isClosed = true
    this.wake()
  }

  async #run(): Promise<void> {
    // Send all transactions of one event loop iteration together.
    await yieldToEventLoop()
    while (this.#waiting.size > 0 && !this.#isClosed) {
      if (!(await this.#send())) await this.#pause()
    }
    this.#isRunning = false
  }

  /** Returns false if the rest has to wait. */
  async #send(): Promise<boolean> {
    const batch = this.#take()
    if (batch.length === 0) return true
    const { broadcast, onUnsent } = this.#options
    let answers: readonly BroadcastOutcome[]
    try {
      answers = await broadcast(batch.map(({ raw }) => raw))
    } catch (error) {
      this.#putBack(batch)
      onUnsent(this.#waiting.size, messageOf(error))
      return false
    }
    const back: Transaction[] = []
    for (const [i, transaction] of batch.entries()) {
      if (!this.#settle(transaction, answers[i] as BroadcastOutcome)) back.push(transaction)
    }
    if (back.length === 0) return true
    this.#putBack(back)
    return false
  }

  /** Returns false if the transaction must be sent again. */
  #settle(transaction: Transaction, answer: BroadcastOutcome): boolean {
    const { onTaken, onRefused, onUnsent } = this.#options
    if (answer.kind === 'taken') onTaken(transaction.hash)
    else if (answer.kind === 'refused') onRefused(transaction, answer.reason)
    else if (answer.kind === 'full') return false
    else {
      onUnsent(this.#waiting.size + 1, `${formatData(transaction.hash)}: ${answer.reason}`)
      return false
    }
    return true
  }

  /** Removes and returns the next batch, skipping transactions that have left the pool. */
  #take(): Transaction[] {
    const batch: Transaction[] = []
    let bytes = 0
    for (const [key, hash] of this.#waiting) {
      if (batch.length === MAX_TRANSACTIONS || bytes >= MAX_BYTES) break
      this.#waiting.delete(key)
      const transaction = this.#options.find(hash)
      if (transaction === undefined) continue
      batch.push(transaction)
      bytes += transaction.raw.length
    }
    return batch
  }

  /** Returns transactions to the front of the queue. */
  #putBack(transactions: readonly Transaction[]): void {
    const back = transactions.map(({ hash }): [string, Uint8Array] => [bytesKey(hash), hash])
    this.#waiting = new Map([...back, ...this.#waiting])
  }

  #pause(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        stopTimer(timer)
        this.#endPause = undefined
        resolve()
      }
      const timer = startTimer(end, RETRY_MS)
      this.#endPause = end
    })
  }
}
