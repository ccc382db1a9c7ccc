import { memoryPayments, type PaymentStore } from '../payments/client/payment-store.ts'
import { ActionError } from './action-error.ts'
import { formatUnits } from './amount.ts'
import type { PaymentSettings } from './settings.ts'

/** Decimals of USDC, on every chain that has it. */
export const USDC_DECIMALS = 6

const DEFAULT_MAX_AMOUNT = 100_000n
const HOUR_MS = 3_600_000

/** Counted as spent from when a call may pay until an hour later. */
export interface Reservation {
  /** Smallest units that the call may pay. */
  readonly amount: bigint
  /** What was paid in the end; 0 gives all of it back. */
  settle(paid: bigint): void
}

/** What may be paid, and what was: as long as the process lives. The policy of the wallet holds beside it. */
export class PaymentBudget {
  readonly settings: PaymentSettings
  readonly payments: PaymentStore = memoryPayments()
  #spent: { readonly at: number; amount: bigint }[] = []

  constructor(settings: PaymentSettings) {
    this.settings = settings
  }

  /** @throws LIMIT_EXCEEDED where more is asked for than a call may pay */
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
