import type { PaymentLimits } from './limits.ts'
import type { Payment } from './payment.ts'
import type { PaymentStore } from './payment-store.ts'

/** How to pay, and the limits. */
export interface PaymentOptions extends PaymentLimits {
  /**
   * Preferred way if a seller takes both: `authorization` (x402, EIP-3009; the seller pays the gas) or `transfer` (a
   * transaction of the payer). Default: `authorization`.
   */
  readonly prefer?: 'authorization' | 'transfer'
  /** Stores payments until their responses arrive. Default: in memory. */
  readonly payments?: PaymentStore
  /** Chain ids by the sellers' network names, in addition to those that x402 has published. */
  readonly networkNames?: Readonly<Record<string, number>>
  /** Initial receipt polling interval in ms, growing up to tenfold. Default: 100. */
  readonly pollingInterval?: number
  /** Called with each payment after its response has arrived. */
  readonly onPaid?: (payment: Payment) => void
}
