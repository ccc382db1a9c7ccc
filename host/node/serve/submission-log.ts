import { formatData } from '../../base/hex.ts'
import type { Logger } from '../../base/log/logger.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'

/** Maximum lines per second: more are unreadable, and thousands of transactions may arrive. */
const LINES = 5
const WINDOW_MS = 1000

/** Logs submitted transactions, each with its explorer URL, unless there are too many. */
export class SubmissionLog {
  readonly #logger: Logger
  readonly #pageOf: (hash: string) => string | undefined
  #window: Timer | undefined
  #submitted = 0

  /** @param pageOf returns the URL of a transaction's page */
  constructor(logger: Logger, pageOf: (hash: string) => string | undefined) {
    this.#logger = logger
    this.#pageOf = pageOf
  }

  note(transactionHash: Uint8Array): void {
    this.#window ??= startTimer(() => this.#end(), WINDOW_MS).unref()
    if (++this.#submitted > LINES) return
    const hash = formatData(transactionHash)
    const explorer = this.#pageOf(hash)
    const fields = { hash, ...(explorer !== undefined && { explorer }) }
    this.#logger.info('submitted transaction', fields)
  }

  /** Logs how many transactions had no line. */
  close(): void {
    stopTimer(this.#window)
    this.#end()
  }

  #end(): void {
    const count = this.#submitted - LINES
    this.#window = undefined
    this.#submitted = 0
    if (count > 0) this.#logger.info('submitted more transactions than are logged', { count })
  }
}
