import { bytesKey } from '../../../base/bytes.ts'
import { messageOf } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { Broadcast, Handover } from './comet-broadcast.ts'

export interface GossipOutboxOptions {
  /** A transaction of the pool; what has left it is not handed over. */
  readonly find: (hash: Uint8Array) => Transaction | undefined
  readonly broadcast: Broadcast
  /** CometBFT has it. */
  readonly onTaken: (hash: Uint8Array) => void
  /** CometBFT never takes it. */
  readonly onRefused: (transaction: Transaction, reason: string) => void
  /** So many wait until CometBFT answers again. */
  readonly onUnsent: (waiting: number, reason: string) => void
}

/** Between two attempts while CometBFT does not answer or has no room. */
const RETRY_MS = 1_000

/** Of one request: a tenth of a second of CometBFT's time. */
const MAX_TRANSACTIONS = 500
const MAX_BYTES = 1 << 20

/** Transactions on their way to CometBFT, in order: one request at a time, with all that has come meanwhile. */
export class GossipOutbox {
  readonly #options: GossipOutboxOptions
  /** Hashes, by their keys. */
  #waiting = new Map<string, Uint8Array>()
  /** Ends the pause before the next request; undefined while a request is out or none is to come. */
  #endPause: (() => void) | undefined
  #isRunning = false
  #isClosed = false

  constructor(options: GossipOutboxOptions) {
    this.#options = options
  }

  /** Transactions that wait to be handed over. */
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

  /** CometBFT may take what it had no room for, or answers again. */
  wake(): void {
    this.#endPause?.()
  }

  close(): void {
    this.#isClosed = true
    this.wake()
  }

  async #run(): Promise<void> {
    // All that comes in one turn goes out together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0 && !this.#isClosed) {
      if (!(await this.#send())) await this.#pause()
    }
    this.#isRunning = false
  }

  /** False where the rest has to wait. */
  async #send(): Promise<boolean> {
    const batch = this.#take()
    if (batch.length === 0) return true
    const { broadcast, onUnsent } = this.#options
    let answers: readonly Handover[]
    try {
      answers = await broadcast(batch.map(({ raw }) => raw))
    } catch (error) {
      this.#putBack(batch)
      onUnsent(this.#waiting.size, messageOf(error))
      return false
    }
    const back: Transaction[] = []
    for (const [i, transaction] of batch.entries()) {
      if (!this.#settle(transaction, answers[i] as Handover)) back.push(transaction)
    }
    if (back.length === 0) return true
    this.#putBack(back)
    return false
  }

  /** False where it is to be handed over again. */
  #settle(transaction: Transaction, answer: Handover): boolean {
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

  /** The next that are in the pool. */
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

  /** In front of those that have come since. */
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
