import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import type { SignedTransaction, WireSignature } from './transaction-codec.ts'

/**
 * The `s` of an impersonated transaction, sent for an account without its key. It exceeds the order of secp256k1, so
 * no key produces it and only a development chain accepts it.
 */
export const IMPERSONATED_S = 2n ** 256n - 1n

const ADDRESSES = 2n ** 160n

/** The fields that show if a transaction is signed. */
type Signature = Pick<SignedTransaction, 'yParity' | 'r' | 's'>

/** True if a transaction has the form of an impersonated one. Does not check whether the chain accepts those. */
export function isImpersonated({ s }: Pick<Signature, 's'>): boolean {
  return s === IMPERSONATED_S
}

/**
 * Returns the 20-byte account that an impersonated transaction is sent for, from its `r`; undefined if it is signed.
 */
export function impersonatedSender({ yParity, r, s }: Signature): Uint8Array | undefined {
  return s === IMPERSONATED_S && yParity === 0 && r < ADDRESSES ? bigintToBytes(r, 20) : undefined
}

/**
 * Returns the values that replace a signature. `chainId` is for legacy transactions only, undefined for other types.
 */
export function impersonatedSignature(
  sender: Uint8Array,
  chainId: bigint | undefined,
): WireSignature {
  const v = chainId === undefined ? 0n : chainId * 2n + 35n
  return { v, r: bytesToBigint(sender), s: IMPERSONATED_S }
}
