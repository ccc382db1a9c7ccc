import type { Hex } from '../../../host/base/hex.ts'
import type { ClaimOwners } from '../../../host/payments/claim/claim-rows.ts'
import type { ClaimFacts, ClaimKey } from '../../../host/payments/claim/claims.ts'

function padded(value: number, bytes: number): Hex {
  return `0x${value.toString(16).padStart(2 * bytes, '0')}`
}

/** Returns the key of a payment on chain 1329, by number. */
export function claimKey(number: number, kind: ClaimKey['kind'] = 'transfer'): ClaimKey {
  return { chainId: 1329n, kind, id: padded(number, 32) }
}

/** Returns a payment of 1000 units for `GET /weather`. */
export function claimFacts(changes: Partial<ClaimFacts> = {}): ClaimFacts {
  return {
    resource: '/weather',
    request: 'GET /weather',
    payer: padded(0xa1, 20),
    payTo: padded(0xb2, 20),
    asset: padded(0xc3, 20),
    amount: 1000n,
    ...changes,
  }
}

/** Returns a transaction hash, by number. */
export function txHashOf(number: number): Hex {
  return padded(number, 32)
}

/** Returns an owner, by two hex digits, that takes over no claims of others. */
export function claimOwner(digits: string): ClaimOwners {
  return { own: digits.repeat(8), deliveriesOfExited: () => undefined }
}
