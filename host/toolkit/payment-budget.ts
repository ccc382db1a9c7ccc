import { memoryPayments, type PaymentStore } from '../payments/client/payment-store.ts'
import { ActionError } from './action-error.ts'
import { formatUnits } from './amount.ts'
import type { PaymentSettings } from './settings.ts'

/** Decimals of USDC on every chain. */
export const USDC_DECIMALS = 6

const DEFAULT_MAX_AMOUNT = 100_000n
const HOUR_MS = 3_600_000

/** Counts as spent from the start of a call until an hour later. */
export interface Reservation {
  /** Maximum payment of the call, in the smallest unit. */
  readonly amount: bigint
  /** Reports the actual payment. 0 releases the whole reservation. */
  settle(paid: bigint): void
}

/** The hourly payment budget, in memory. The policy of the wallet applies as well. */
export class PaymentBudget {
  readonly settings: PaymentSettings
  readonly payments: PaymentStore = memoryPayments()
  #spent: { readonly at: number; amount: bigint }[] = []

  constructor(settings: PaymentSettings) {
    this.settings = settings
  }

  /** @throws LIMIT_EXCEEDED if more is asked for than one call may pay */
  reserve(asked: bigint | undefined, now: number = Date.now()): Reservation {
    const most = this.settings.maxAmount ?? DEFAULT_MAX_AMOUNT
    if (asked !== undefined && asked > most) {
      const [one, two] = [asked, most].map((units) => formatUnits(units, USDC_DECIMALS))
      const text = `maxAmount: ${one} USDC is more than the ${two} that a call may pay`
      throw new ActionError('LIMIT_EXCEEDED', text)
    }
    this.#spent = this.#spent.filter(({ at, amount }) => at > now - HOUR_MS && amount > 0n)
    const left = this.#spent.reduce(
      (rest, { amount }) => rest - amount,
      this.settings.maxTotal ?? most * 10n,
    )
    const wanted = asked ?? most
    const amount = left < wanted ? (left > 0n ? left : 0n) : wanted
    const entry = { at: now, amount }
    this.#spent.push(entry)
    return {
      amount,
      settle: (paid) => {
        entry.amount = paid
      },
    }
  }
}
