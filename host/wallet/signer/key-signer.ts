import { keccak_256 } from '@noble/hashes/sha3.js'
import { recoverAddressTyped, signTyped } from 'micro-eth-signer'
import { isPrivate, pointFromScalar, signRecoverable } from 'tiny-secp256k1'
import { bytesToBigint, equalBytes } from '../../base/bytes.ts'
import { formatData, type Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import {
  encodeTransaction,
  signingDigest,
  type UnsignedTransaction,
} from '../../evm/chain-types/transaction-codec.ts'
import type { ActionTypedData } from '../policy/signing-action.ts'

/** A signature of a digest. */
export interface DigestSignature {
  /** 32 bytes each. */
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly yParity: 0 | 1
}

/** Returns the 33-byte public key; undefined if the secret is not a valid secp256k1 key. */
export function publicKeyOf(secret: Uint8Array): Uint8Array | undefined {
  if (secret.length !== 32 || !isPrivate(secret)) return undefined
  return pointFromScalar(secret, true) ?? undefined
}

/** 20 bytes. */
export function addressOfSecret(secret: Uint8Array): Uint8Array {
  const point = pointFromScalar(secret, false) as Uint8Array
  return keccak_256(point.subarray(1)).slice(12)
}

/** Recovers the address of a signature. Shares no code with the signing library. */
export type Recovery = Pick<SignatureRecovery, 'recoverAddress'>

/**
 * Signs a digest by RFC 6979 with a low s. Checks the signature by recovery before returning it: a signature
 * corrupted by a hardware fault can reveal the key.
 * @param address of the key, 20 bytes
 */
export function signDigest(
  digest: Uint8Array,
  secret: Uint8Array,
  address: Uint8Array,
  recovery: Recovery,
): DigestSignature {
  const { signature, recoveryId } = signRecoverable(digest, secret)
  const r = signature.subarray(0, 32)
  const s = signature.subarray(32)
  const yParity = recoveryId as 0 | 1
  const signer = recoveryId > 1 ? undefined : recovery.recoverAddress(digest, yParity, r, s)
  if (signer === undefined || !equalBytes(signer, address)) throw faultySignature()
  return { r, s, yParity }
}

/** Returns 65 bytes: r, s, and v as 27 or 28. */
export function formatSignature({ r, s, yParity }: DigestSignature): Hex {
  const bytes = new Uint8Array(65)
  bytes.set(r)
  bytes.set(s, 32)
  bytes[64] = 27 + yParity
  return formatData(bytes)
}

/** Returns the signed transaction as eth_sendRawTransaction takes it, and its hash. */
export function signTransactionWith(
  transaction: UnsignedTransaction,
  secret: Uint8Array,
  address: Uint8Array,
  recovery: Recovery,
): { readonly raw: Uint8Array; readonly hash: Uint8Array } {
  const digest = signingDigest(transaction, keccak_256)
  const { r, s, yParity } = signDigest(digest, secret, address, recovery)
  const { type, chainId } = transaction
  const v = type === 0 ? (chainId ?? 0n) * 2n + 35n + BigInt(yParity) : BigInt(yParity)
  const raw = encodeTransaction(transaction, { v, r: bytesToBigint(r), s: bytesToBigint(s) })
  return { raw, hash: keccak_256(raw) }
}

/**
 * Signs EIP-712 typed data, version 4.
 * @param data from `readTypedData`, which has validated it
 * @param address with the checksum of EIP-55
 */
export function signTypedDataWith(data: ActionTypedData, secret: Uint8Array, address: string): Hex {
  const typed = data as never
  const signature = signTyped(typed, secret, false) as Hex
  if (recoverAddressTyped(signature, typed) !== address) throw faultySignature()
  return signature
}

function faultySignature(): Error {
  return new Error('a signature does not recover to its key: this machine must not sign')
}
