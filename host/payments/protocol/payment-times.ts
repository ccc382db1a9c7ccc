/** Times within which a payment counts. */
export interface PaymentTimes {
  /** Seconds by which a block's time may be before its challenge: clocks differ, and blocks have whole seconds. */
  readonly clockSkew: number
  /** Milliseconds for which a request waits for the block of its transaction. */
  readonly receiptDeadline: number
  /** Seconds after its block for which a payment may be shown. */
  readonly proofLifetime: number
}

/** Seconds after a challenge for which its payment may be shown. */
export function shownFor({ clockSkew, proofLifetime }: PaymentTimes, maxTimeout: number): number {
  return maxTimeout + proofLifetime + clockSkew
}
