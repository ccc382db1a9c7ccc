import type { Hex } from '../../base/hex.ts'
import type { Binding } from '../protocol/terms.ts'

/** One way to pay for a resource, as a 402 offers it. Addresses are lower case. */
export interface Offer {
  /** Where it was written: the contract's body, that of x402 v1, or the header of x402 v2. */
  readonly protocol: 'contract' | 'v1' | 'v2'
  /** As the seller wrote it: a name in the bodies, CAIP-2 in the header. */
  readonly network: string
  readonly asset: Hex
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly payTo: Hex
  readonly maxTimeoutSeconds: number
  /** What is paid for: a URL, or its path. */
  readonly resource: string
  /** EIP-712 domain of the token, where the seller names it. */
  readonly token: { readonly name: string; readonly version: string } | undefined
  readonly binding: Binding
  readonly reference: string | undefined
  /** The requirement, and for v2 the resource, as they were sent: a proof of v2 repeats them. */
  readonly sent: { readonly accepted: unknown; readonly resource?: unknown }
}

/** How an offer may be met, the best first. */
export function waysToPay(offer: Offer): readonly ('authorization' | 'transfer')[] {
  const ways: ('authorization' | 'transfer')[] = []
  // The contract's demo takes nothing but transfers, and says name and version of the token all the same
  const takesTransfersAlone = offer.protocol === 'contract' && offer.binding !== 'eip3009'
  if (offer.token !== undefined && !takesTransfersAlone) ways.push('authorization')
  // x402 has no proof by transaction hash: who has a reference is more than x402
  if (offer.reference !== undefined && offer.binding !== 'eip3009') ways.push('transfer')
  return ways
}
