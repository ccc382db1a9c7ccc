import type { Hex } from '../../../host/base/hex.ts'
import type { PricedResource } from '../../../host/payments/protocol/terms.ts'

export const PAY_TO: Hex = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
export const TOKEN: Hex = '0x4020000000000000000000000000000000000402'

/** Two resources with the same price, so that only the binding distinguishes their payments. */
export const SOLD: readonly [PricedResource, PricedResource] = [sold('/weather'), sold('/news')]

function sold(path: string): PricedResource {
  return {
    path,
    description: '',
    mediaType: 'application/json',
    style: 'contract',
    terms: {
      chainId: 31_337n,
      network: 'eip155:31337',
      asset: TOKEN,
      token: { name: 'USDC', version: '2' },
      amount: 1_000n,
      payTo: PAY_TO,
      maxTimeoutSeconds: 3_600,
    },
  }
}
