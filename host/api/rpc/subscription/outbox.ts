import type { ClientAccount } from '../../server/work-scheduler.ts'

/** Announcements that a connection may be behind: minutes of blocks. */
const MAX_WAITING = 10_000

/**
 * The notifications for one connection, sent in order and in its own turns: many subscriptions of one must not
 * hold up the others.
 */
export class Outbox {
  readonly #account: ClientAccount
  readonly #onFull: () => void
  readonly #waiting: Iterator<void>[] = []
  #isRunning = false
  #isClosed = false

  /** `onFull` is called when the connection is too far behind. */
  constructor(account: ClientAccount, onFull: () => void) {
    this.#account = account
    this.#onFull = onFull
  }

  /** Takes what sends one notification a step. The first steps are made at once, as far as there is time. */
  add(notifications: Iterator<void>): void {
    if (this.#isClosed) return
    if (this.#waiting.length >= MAX_WAITING) {
      this.close()
      this.#onFull()
      return
    }
    this.#waiting.push(notifications)
    if (!this.#isRunning) void this.#run()
  }

  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let current = this.#waiting[0]; current !== undefined; current = this.#waiting[0]) {
      const turn = this.#account.turn()
      if (turn !== undefined) await turn
      if (this.#isClosed) break
      if (current.next().done === true) this.#waiting.shift()
    }
    this.#isRunning = false
  }
}
