import { requireBits } from '../../base/writable.ts'
import { encodePaymentHeader } from './payment-header.ts'
import type { AuthorizationProof, TransferProof } from './proof.ts'

/** Returns the `X-Payment` value of the contract's proof. */
export function encodeTransferProof(proof: TransferProof, network: string): string {
  const { txHash, amount, from, reference, signature } = proof
  requireBits(amount, 256, 'an amount')
  return encodePaymentHeader({
    x402Version: 1,
    scheme: 'exact',
    network,
    payload: { txHash, amount: `${amount}`, from, reference, signature },
  })
}

/** Returns the `payload` of an x402 proof, of either version. */
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

/** Returns the `X-PAYMENT` value of an x402 v1 proof. */
export function encodeAuthorizationProof(proof: AuthorizationProof, network: string): string {
  return encodePaymentHeader({
    x402Version: 1,
    scheme: 'exact',
    network,
    payload: authorizationPayload(proof),
  })
}

/** Maximum characters of extensions that a proof repeats: servers limit headers. */
const MAX_EXTENSIONS = 6_000

/**
 * Returns the `PAYMENT-SIGNATURE` value of an x402 v2 proof.
 * @param resource of the challenge, as received
 * @param extensions of the challenge, as received; they are left out if they are too long for a header
 */
export function encodePaymentSignature(
  proof: AuthorizationProof,
  resource: unknown,
  extensions?: unknown,
): string {
  const isRepeated = extensions !== undefined && JSON.stringify(extensions).length <= MAX_EXTENSIONS
  return encodePaymentHeader({
    x402Version: 2,
    resource,
    accepted: proof.accepted,
    payload: authorizationPayload(proof),
    ...(isRepeated && { extensions }),
  })
}
