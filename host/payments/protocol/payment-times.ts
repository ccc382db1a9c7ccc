/** Time limits of a payment. */
export interface PaymentTimes {
  /** Seconds by which a block may precede its challenge: clocks differ, and block times are whole seconds. */
  readonly clockSkew: number
  /** How long a request waits for the block of its transaction, ms. */
  readonly receiptDeadline: number
  /** Seconds after its block during which a payment may be shown. */
  readonly proofLifetime: number
}

/** Returns the seconds after a challenge during which its payment may be shown. */
export function shownFor({ clockSkew, proofLifetime }: PaymentTimes, maxTimeout: number): number {
  return maxTimeout + proofLifetime + clockSkew
}
