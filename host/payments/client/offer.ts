import type { Hex } from '../../base/hex.ts'
import type { Binding } from '../protocol/terms.ts'

/** One way to pay for a resource, offered by a 402. Addresses are lower case. */
export interface PaymentOffer {
  /** Source of the offer: the contract's body, the x402 v1 body, or the x402 v2 header. */
  readonly protocol: 'contract' | 'v1' | 'v2'
  /** As the seller wrote it: a name in bodies, CAIP-2 in the header. */
  readonly network: string
  readonly asset: Hex
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly payTo: Hex
  readonly maxTimeoutSeconds: number
  /** The resource for sale: a URL or its path. */
  readonly resource: string
  /** EIP-712 domain of the token, if the seller sends it. */
  readonly token: { readonly name: string; readonly version: string } | undefined
  readonly binding: Binding
  readonly reference: string | undefined
  /** The requirement, and for v2 resource and extensions, as received: a v2 proof repeats them. */
  readonly sent: {
    readonly accepted: unknown
    readonly resource?: unknown
    readonly extensions?: unknown
  }
}

/** Returns the ways to pay an offer, best first. */
export function waysToPay(offer: PaymentOffer): readonly ('authorization' | 'transfer')[] {
  const ways: ('authorization' | 'transfer')[] = []
  // The contract demo takes only transfers, although it sends the token's name and version
  const takesTransfersAlone = offer.protocol === 'contract' && offer.binding !== 'eip3009'
  if (offer.token !== undefined && !takesTransfersAlone) ways.push('authorization')
  // x402 has no proof by transaction hash, so a reference means the seller supports more than x402
  if (offer.reference !== undefined && offer.binding !== 'eip3009') ways.push('transfer')
  return ways
}
