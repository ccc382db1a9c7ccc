import { formatData, type Hex } from '../../base/hex.ts'
import { encodeAbiCall } from '../../evm/chain-types/abi.ts'
import { encodeAuthorizationProof, encodePaymentSignature } from '../protocol/encode-proof.ts'
import { PAYMENT_HEADERS } from '../protocol/payment-header.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentOffer } from './offer.ts'
import type { Payment } from './payment.ts'
import type { PayerAccount, SignableTypedData } from './wallet.ts'

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** Returns cryptographically random bytes as hex. */
export function randomHex(length: number): Hex {
  return formatData(crypto.getRandomValues(new Uint8Array(length)))
}

/** Returns the EIP-3009 typed data that pays an offer. @param nonce 32 bytes @param validBefore seconds since 1970 */
function authorizationData(
  offer: PaymentOffer,
  from: Hex,
  chainId: number,
  nonce: Hex,
  validBefore: number,
): SignableTypedData {
  return {
    domain: { ...offer.token, chainId, verifyingContract: offer.asset },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      from,
      to: offer.payTo,
      value: offer.amount,
      // 0: the seller's clock may be behind
      validAfter: 0n,
      validBefore: BigInt(validBefore),
      nonce,
    },
  }
}

/** Signs the authorization and returns its proof header. */
export async function authorize(
  account: PayerAccount,
  offer: PaymentOffer,
  chainId: number,
  nonce: Hex,
  validBefore: number,
): Promise<{ readonly header: string; readonly value: string }> {
  const from = account.address
  const signature = await account.sign(authorizationData(offer, from, chainId, nonce, validBefore))
  const proof: AuthorizationProof = {
    kind: 'authorization',
    version: offer.protocol === 'v2' ? 2 : 1,
    from,
    to: offer.payTo,
    value: offer.amount,
    validAfter: 0n,
    validBefore: BigInt(validBefore),
    nonce,
    signature,
    accepted: offer.sent.accepted,
  }
  return offer.protocol === 'v2'
    ? {
        header: PAYMENT_HEADERS.signature,
        value: encodePaymentSignature(proof, offer.sent.resource, offer.sent.extensions),
      }
    : { header: PAYMENT_HEADERS.proof, value: encodeAuthorizationProof(proof, offer.network) }
}

/** Returns whether an authorization has expired unused. Uses block time, which never decreases. */
export async function isExpiredUnused(payment: Payment, account: PayerAccount): Promise<boolean> {
  const { authorization, payer, asset } = payment
  if (authorization === undefined) return false
  const block = await account.read<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
  if (Number(block.timestamp) < authorization.validBefore) return false
  const key = [BigInt(payer), BigInt(authorization.nonce)]
  const data = formatData(encodeAbiCall('authorizationState(address,bytes32)', key))
  return BigInt(await account.read<Hex>('eth_call', { to: asset, data }, 'latest')) === 0n
}
