import { formatData } from '../../base/hex.ts'
import type { Logger } from '../../base/log/logger.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'

/** Lines a second: a person reads no more, and thousands of transactions may come in that time. */
const LINES = 5
const WINDOW_MS = 1000

/** Notes the transactions that clients hand in, each with the page that shows it while they are few. */
export class SubmissionLog {
  readonly #logger: Logger
  readonly #pageOf: (hash: string) => string | undefined
  #window: Timer | undefined
  #submitted = 0

  /** `pageOf` is asked for the URL of a transaction's page. */
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

  /** Says of how many there was no line. */
  close(): void {
    stopTimer(this.#window)
    this.#end()
  }

  #end(): void {
    const count = this.#submitted - LINES
    this.#window = undefined
    this.#submitted = 0
    if (count > 0) this.#logger.info('submitted more transactions than have lines', { count })
  }
}
