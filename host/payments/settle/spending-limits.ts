import type { Hex } from '../../base/hex.ts'
import { AccountRates, Allowance } from './rates.ts'

export interface SpendingRates {
  /** Settlements per minute, all payers together. */
  readonly perMinute: number
  /** Settlements per minute of one payer. */
  readonly perMinuteOfPayer: number
}

/** Limits paid settlements, in total and per payer: otherwise anyone who can sign could drain the settler's gas. */
export class SpendingLimits {
  readonly #now: () => number
  readonly #overall: Allowance
  readonly #payers: AccountRates

  /** @param now milliseconds of a monotonic clock */
  constructor({ perMinute, perMinuteOfPayer }: SpendingRates, now: () => number) {
    this.#now = now
    this.#overall = new Allowance(perMinute, now())
    this.#payers = new AccountRates(perMinuteOfPayer)
  }

  /** Takes one settlement of a payer. Returns false, and takes nothing, if a limit is reached. */
  take(payer: Hex): boolean {
    const now = this.#now()
    if (!this.#payers.has(payer, now) || !this.#overall.has(now)) return false
    this.#payers.take(payer, now)
    this.#overall.take()
    return true
  }
}
