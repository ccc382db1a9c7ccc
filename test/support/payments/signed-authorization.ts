import type { HDAccount } from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import type { AuthorizationProof } from '../../../host/payments/protocol/proof.ts'
import type { PaymentTerms } from '../../../host/payments/protocol/terms.ts'
import { TOKEN_TYPES } from './token-abi.ts'

export type AuthorizationFields = Omit<AuthorizationProof, 'kind' | 'signature'>

/** A 32-byte nonce from a number. */
export function nonceOf(number: number): Hex {
  return `0x${number.toString(16).padStart(64, '0')}`
}

/** An authorization that viem has signed: for the price, valid for five minutes, unless told otherwise. */
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
