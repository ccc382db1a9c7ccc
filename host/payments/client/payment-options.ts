import type { PaymentLimits } from './limits.ts'
import type { Payment } from './payment.ts'
import type { PaymentStore } from './payment-store.ts'

/** How to pay, and how much at most. */
export interface PaymentOptions extends PaymentLimits {
  /**
   * Where a seller takes both: `authorization` (x402, EIP-3009; the seller pays the gas), or `transfer` (a transaction
   * of the payer). `authorization` by default.
   */
  readonly prefer?: 'authorization' | 'transfer'
  /** Keeps payments until their responses are there; as long as the program runs by default. */
  readonly payments?: PaymentStore
  /** Chain ids of networks by the names that sellers give them, beside those that x402 has published. */
  readonly networkNames?: Readonly<Record<string, number>>
  /** Milliseconds until the receipt of a transfer is looked for again: at first, and up to tenfold; 100 by default. */
  readonly pollingInterval?: number
  /** Told of each payment whose response has come. */
  readonly onPaid?: (payment: Payment) => void
}
