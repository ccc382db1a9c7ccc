import type { Hex } from '../../base/hex.ts'

/** EIP-712 domain of a token, as far as the chain and its address do not say it. */
export interface TokenDomain {
  /** `extra.name` of a requirement: the token's `name()`. */
  readonly name: string
  /** `extra.version` of a requirement: the token's `version()`. */
  readonly version: string
}

/** What is asked for a resource, whichever protocol carries it. Addresses are lower case. */
export interface PaymentTerms {
  readonly chainId: bigint
  /** Name of the network in x402 v1 and in the contract's body, such as `sei`. */
  readonly network: string
  /** Token contract. */
  readonly asset: Hex
  readonly token: TokenDomain
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly payTo: Hex
  /** Seconds from a challenge within which the chain must have the payment. */
  readonly maxTimeoutSeconds: number
}

/** How the body of a 402 is written: a resource as its path, or x402 v1 with an absolute URL. */
export type ChallengeStyle = 'contract' | 'x402'

/** What a payment must prove beside that it was made. */
export type Binding = 'bearer' | 'reference' | 'signed' | 'eip3009'

/** A resource with its price. */
export interface PricedResource {
  /** Path as configured, the name of the resource in challenges, claims and the ledger. */
  readonly path: string
  readonly description: string
  readonly mediaType: string
  readonly style: ChallengeStyle
  readonly terms: PaymentTerms
}
