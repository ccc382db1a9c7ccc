/** Limits of payments over HTTP 402. The policy of the wallet applies as well. */
export interface PaymentSettings {
  /** Origins that may be paid, such as `https://api.example.com`. */
  readonly origins: readonly string[]
  /** Maximum payment of one call, in the smallest unit of USDC. Default: 100,000 (0.10 USDC). */
  readonly maxAmount?: bigint | undefined
  /** Maximum payments per hour, in the smallest unit of USDC. Default: ten times `maxAmount`. */
  readonly maxTotal?: bigint | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** A price source with the HTTP API of Pyth's Hermes. */
export interface PriceFeedSettings {
  /** Base URL, such as https://hermes.pyth.network. */
  readonly url: string
  readonly fetch?: typeof globalThis.fetch | undefined
}
