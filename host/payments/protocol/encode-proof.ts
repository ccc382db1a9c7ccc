import { requireBits } from '../../base/writable.ts'
import { encodeHeader } from './payment-header.ts'
import type { AuthorizationProof, TransferProof } from './proof.ts'

/** Value of the header `X-Payment` for the contract's proof. */
export function encodeTransferProof(proof: TransferProof, network: string): string {
  const { txHash, amount, from, reference, signature } = proof
  requireBits(amount, 256, 'an amount')
  return encodeHeader({
    x402Version: 1,
    scheme: 'exact',
    network,
    payload: { txHash, amount: `${amount}`, from, reference, signature },
  })
}

/** `payload` of x402's proofs, of both versions. */
export function authorizationPayload(proof: AuthorizationProof): object {
  const { from, to, value, validAfter, validBefore, nonce, signature } = proof
  for (const word of [value, validAfter, validBefore]) {
    requireBits(word, 256, 'a number of an authorization')
  }
  return {
    signature,
    authorization: {
      from,
      to,
      value: `${value}`,
      validAfter: `${validAfter}`,
      validBefore: `${validBefore}`,
      nonce,
    },
  }
}

/** Value of the header `X-PAYMENT` for a proof of x402 v1. */
export function encodeAuthorizationProof(proof: AuthorizationProof, network: string): string {
  return encodeHeader({
    x402Version: 1,
    scheme: 'exact',
    network,
    payload: authorizationPayload(proof),
  })
}

/**
 * Value of the header `PAYMENT-SIGNATURE` for a proof of x402 v2.
 * @param resource of the challenge, as it was sent
 */
export function encodePaymentSignature(proof: AuthorizationProof, resource: unknown): string {
  return encodeHeader({
    x402Version: 2,
    resource,
    accepted: proof.accepted,
    payload: authorizationPayload(proof),
  })
}
