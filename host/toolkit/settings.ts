/** What may be paid over HTTP 402. The policy of the wallet holds beside it, and counts. */
export interface PaymentSettings {
  /** Origins that may be paid, as `https://api.example.com`. */
  readonly origins: readonly string[]
  /** Smallest units of USDC for one call at most; 100,000 (0.10 USDC) by default. */
  readonly maxAmount?: bigint | undefined
  /** Smallest units of USDC an hour at most; ten times `maxAmount` by default. */
  readonly maxTotal?: bigint | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** A source of prices that speaks the HTTP API of Pyth's Hermes. */
export interface PriceFeedSettings {
  /** Base, as https://hermes.pyth.network. */
  readonly url: string
  readonly fetch?: typeof globalThis.fetch | undefined
}
