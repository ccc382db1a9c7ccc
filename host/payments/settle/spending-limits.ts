import type { Hex } from '../../base/hex.ts'

export interface SpendingRates {
  /** Settlements a minute of all payers. */
  readonly perMinute: number
  /** Of one payer. */
  readonly perMinuteOfPayer: number
}

/** Settlements that may be made at once, refilled evenly over a minute. */
interface Allowance {
  left: number
  /** Milliseconds. */
  at: number
}

const MINUTE_MS = 60_000

/** Payers that are remembered. Those forgotten first have been away for longest. */
const MAX_PAYERS = 10_000

/** How many settlements are paid for, in all and for each payer: whoever can sign could spend the settler's gas. */
export class SpendingLimits {
  readonly #rates: SpendingRates
  readonly #now: () => number
  readonly #overall: Allowance
  readonly #payers = new Map<Hex, Allowance>()

  /** @param now milliseconds of a clock that only goes forward */
  constructor(rates: SpendingRates, now: () => number) {
    this.#rates = rates
    this.#now = now
    this.#overall = { left: rates.perMinute, at: now() }
  }

  /** Takes one settlement of a payer; false, and nothing is taken, where a limit is reached. */
  take(payer: Hex): boolean {
    const { perMinute, perMinuteOfPayer } = this.#rates
    const now = this.#now()
    const own = this.#payers.get(payer) ?? { left: perMinuteOfPayer, at: now }
    refill(own, perMinuteOfPayer, now)
    refill(this.#overall, perMinute, now)
    if (own.left < 1 || this.#overall.left < 1) return false
    own.left--
    this.#overall.left--
    this.#payers.delete(payer)
    this.#payers.set(payer, own)
    if (this.#payers.size > MAX_PAYERS) {
      const [oldest] = this.#payers.keys()
      this.#payers.delete(oldest as Hex)
    }
    return true
  }
}

function refill(allowance: Allowance, rate: number, now: number): void {
  const earned = ((now - allowance.at) * rate) / MINUTE_MS
  allowance.left = Math.min(rate, allowance.left + earned)
  allowance.at = now
}
