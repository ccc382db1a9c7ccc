import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import type { SignedTransaction, WireSignature } from './transaction-codec.ts'

/**
 * The `s` of a transaction that is sent in the name of an account without its key: above the order of secp256k1, so
 * that no key gives it and nothing but a development chain takes it.
 */
export const IMPERSONATED_S = 2n ** 256n - 1n

const ADDRESSES = 2n ** 160n

/** What of a transaction says whether somebody has signed it. */
type Signature = Pick<SignedTransaction, 'yParity' | 'r' | 's'>

/** True where a transaction has the form of one that nobody has signed; whether a chain takes it is not asked. */
export function isImpersonated({ s }: Pick<Signature, 's'>): boolean {
  return s === IMPERSONATED_S
}

/** The account in whose name a transaction is sent, 20 bytes, which is its `r`; undefined for one that is signed. */
export function impersonatedSender({ yParity, r, s }: Signature): Uint8Array | undefined {
  return s === IMPERSONATED_S && yParity === 0 && r < ADDRESSES ? bigintToBytes(r, 20) : undefined
}

/** What stands in place of a signature; `chainId` of a legacy transaction, undefined for the other types. */
export function impersonatedSignature(
  sender: Uint8Array,
  chainId: bigint | undefined,
): WireSignature {
  const v = chainId === undefined ? 0n : chainId * 2n + 35n
  return { v, r: bytesToBigint(sender), s: IMPERSONATED_S }
}
