import type { ClientQuota } from '../../server/work-scheduler.ts'

/** Maximum queued notifications of a connection: minutes of blocks. */
const MAX_WAITING = 10_000

/**
 * The notifications of one connection, sent in order within its own quota, so that a connection with many
 * subscriptions does not delay others.
 */
export class NotificationQueue {
  readonly #account: ClientQuota
  readonly #onFull: () => void
  readonly #waiting: Iterator<void>[] = []
  #isRunning = false
  #isClosed = false

  /** @param onFull called when the connection is too far behind */
  constructor(account: ClientQuota, onFull: () => void) {
    this.#account = account
    this.#onFull = onFull
  }

  /** Queues an iterator that sends one notification per step. Sends the first ones at once while time is left. */
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
      const turn = this.#account.yield()
      if (turn !== undefined) await turn
      if (this.#isClosed) break
      if (current.next().done === true) this.#waiting.shift()
    }
    this.#isRunning = false
  }
}
