import type { HDAccount } from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import type { AuthorizationProof } from '../../../host/payments/protocol/proof.ts'
import type { PaymentTerms } from '../../../host/payments/protocol/terms.ts'
import { TOKEN_TYPES } from './token-abi.ts'

export type AuthorizationFields = Omit<AuthorizationProof, 'kind' | 'signature'>

/** Returns a 32-byte nonce for a number. */
export function nonceOf(number: number): Hex {
  return `0x${number.toString(16).padStart(64, '0')}`
}

/** Returns an authorization signed by viem, by default for the price and valid for five minutes. */
export async function signAuthorization(
  payer: HDAccount,
  terms: PaymentTerms,
  now: bigint,
  fields: Partial<AuthorizationFields> & Pick<AuthorizationFields, 'nonce'>,
): Promise<AuthorizationProof> {
  const message = {
    version: 1 as const,
    from: payer.address.toLowerCase() as Hex,
    to: terms.payTo,
    value: terms.amount,
    validAfter: now - 600n,
    validBefore: now + 300n,
    ...fields,
  }
  const signature = await payer.signTypedData({
    domain: { ...terms.token, chainId: Number(terms.chainId), verifyingContract: terms.asset },
    types: TOKEN_TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return { kind: 'authorization', ...message, signature }
}
