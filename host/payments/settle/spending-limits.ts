import type { Hex } from '../../base/hex.ts'
import { AccountRates, Allowance } from './rates.ts'

export interface SpendingRates {
  /** Settlements a minute of all payers. */
  readonly perMinute: number
  /** Of one payer. */
  readonly perMinuteOfPayer: number
}

/** How many settlements are paid for, in all and for each payer: whoever can sign could spend the settler's gas. */
export class SpendingLimits {
  readonly #now: () => number
  readonly #overall: Allowance
  readonly #payers: AccountRates

  /** @param now milliseconds of a clock that only goes forward */
  constructor({ perMinute, perMinuteOfPayer }: SpendingRates, now: () => number) {
    this.#now = now
    this.#overall = new Allowance(perMinute, now())
    this.#payers = new AccountRates(perMinuteOfPayer)
  }

  /** Takes one settlement of a payer; false, and nothing is taken, where a limit is reached. */
  take(payer: Hex): boolean {
    const now = this.#now()
    if (!this.#payers.has(payer, now) || !this.#overall.has(now)) return false
    this.#payers.take(payer, now)
    this.#overall.take()
    return true
  }
}
