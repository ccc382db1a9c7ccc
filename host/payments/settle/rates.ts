import type { Hex } from '../../base/hex.ts'
import { RecentCache } from '../../base/recent-cache.ts'

const MINUTE_MS = 60_000

/** Maximum accounts remembered. At least half as many of the latest active ones are. */
const MAX_ACCOUNTS = 20_000

/** Token bucket, refilled evenly over a minute. */
export class Allowance {
  readonly #rate: number
  #left: number
  #at: number

  /** @param now milliseconds of a monotonic clock */
  constructor(rate: number, now: number) {
    this.#rate = rate
    this.#left = rate
    this.#at = now
  }

  /** Returns whether `take` would succeed. */
  has(now: number): boolean {
    this.#left = Math.min(this.#rate, this.#left + ((now - this.#at) * this.#rate) / MINUTE_MS)
    this.#at = now
    return this.#left >= 1
  }

  take(): void {
    this.#left--
  }
}

/** One `Allowance` per account, with the same rate per minute. */
export class AccountRates {
  readonly #rate: number
  readonly #accounts = new RecentCache<Hex, Allowance>(MAX_ACCOUNTS)

  constructor(rate: number) {
    this.#rate = rate
  }

  has(account: Hex, now: number): boolean {
    return this.#accounts.get(account)?.has(now) ?? this.#rate >= 1
  }

  take(account: Hex, now: number): void {
    const own = this.#accounts.get(account) ?? new Allowance(this.#rate, now)
    own.take()
    this.#accounts.set(account, own)
  }
}
