import type { Hex } from '../../base/hex.ts'
import type { CallExample } from './bazaar.ts'

/** EIP-712 domain of a token, without chain and address. */
export interface TokenDomain {
  /** `extra.name` of a requirement: the token's `name()`. */
  readonly name: string
  /** `extra.version` of a requirement: the token's `version()`. */
  readonly version: string
}

/** Price and payment conditions of a resource, independent of the protocol. Addresses are lower case. */
export interface PaymentTerms {
  readonly chainId: bigint
  /** Network name in x402 v1 and in the contract's body, such as `sei`. */
  readonly network: string
  /** Token contract. */
  readonly asset: Hex
  readonly token: TokenDomain
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly payTo: Hex
  /** Seconds after a challenge by which the payment must be on chain. */
  readonly maxTimeoutSeconds: number
}

/** Style of a 402 body: `contract` with the resource as a path, `x402` (v1) with an absolute URL. */
export type ChallengeStyle = 'contract' | 'x402'

/** What a payment must prove besides having been made. */
export type Binding = 'bearer' | 'reference' | 'signed' | 'eip3009'

/** A resource with its price. */
export interface PricedResource {
  /** Configured path, which names the resource in challenges, claims and the ledger. */
  readonly path: string
  readonly description: string
  readonly mediaType: string
  readonly style: ChallengeStyle
  readonly terms: PaymentTerms
  /**
   * Terms in other tokens of the same chain. Only x402 v2 offers them: a proof of the other protocols does not name its
   * token.
   */
  readonly otherTerms?: readonly PaymentTerms[]
  /** Present if buyers may discover the resource. */
  readonly discovery?: CallExample
}

/** Returns all terms of a resource, the preferred ones first. */
export function allTerms({ terms, otherTerms = [] }: PricedResource): readonly PaymentTerms[] {
  return [terms, ...otherTerms]
}
