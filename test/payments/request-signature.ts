import type { Hex } from 'viem'
import type { Payer } from '../support/payments/payer.ts'

/** What a payer signs with the binding `signed`: the request, the challenge and the payment. */
export interface SaidRequest {
  readonly chainId: number
  readonly method: string
  /** Path with query. */
  readonly resource: string
  readonly reference: string
  readonly txHash: Hex
}

export function signRequest(payer: Payer, { chainId, ...message }: SaidRequest): Promise<Hex> {
  return payer.account.signTypedData({
    domain: { name: 'Lockstep payment', version: '1', chainId },
    types: {
      PaidRequest: [
        { name: 'method', type: 'string' },
        { name: 'resource', type: 'string' },
        { name: 'reference', type: 'string' },
        { name: 'txHash', type: 'bytes32' },
      ],
    },
    primaryType: 'PaidRequest',
    message,
  })
}
