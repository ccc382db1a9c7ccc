import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { checksumAddress } from './address.ts'
import {
  encodeTransaction,
  GROUP_ORDER,
  signingDigest,
  type UnsignedTransaction,
  type WireSignature,
} from './transaction-codec.ts'

const KEY_LENGTH = 32

/** A secp256k1 private key and its account. */
export interface AccountKey {
  /** 32 bytes. */
  readonly secret: Uint8Array
  /** 20 bytes. */
  readonly address: Uint8Array
}

/**
 * Returns the key and its address. @throws INVALID_ARGUMENT if the bytes are not a private key. The message contains
 * none of them.
 */
export function keyFromSecret(secret: Uint8Array): AccountKey {
  const number = secret.length === KEY_LENGTH ? bytesToBigint(secret) : 0n
  if (number === 0n || number >= GROUP_ORDER) {
    throw new LockstepError('INVALID_ARGUMENT', 'the private key is not a valid secp256k1 key', {
      hint: 'a private key is 32 bytes, greater than zero and less than the order of the curve',
    })
  }
  const point = secp256k1.getPublicKey(secret, false)
  return { secret, address: keccak_256(point.subarray(1)).slice(12) }
}

/** Returns a random key from the operating system's CSPRNG. */
export function randomKey(): AccountKey {
  return keyFromSecret(secp256k1.utils.randomSecretKey())
}

/**
 * Parses a private key of 64 hex digits, with or without 0x. @throws INVALID_ARGUMENT, without any digit of the key.
 */
export function parseSecret(text: string): AccountKey {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim()) ?? []
  if (digits === undefined) {
    throw new LockstepError('INVALID_ARGUMENT', 'the private key is not 64 hex digits', {
      hint: 'write the key as 64 hex digits, with or without 0x',
    })
  }
  return keyFromSecret(bigintToBytes(BigInt(`0x${digits}`), KEY_LENGTH))
}

/** Returns the address as hex with the EIP-55 checksum. */
export function checksumText(address: Uint8Array): string {
  return checksumAddress(address, keccak_256)
}

/** A signature of a digest. */
export interface RecoverableSignature {
  /** 32 bytes each. */
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly yParity: number
}

/** Signs a digest by RFC 6979 with a low s. */
export type SignDigest = (digest: Uint8Array, secret: Uint8Array) => RecoverableSignature

function sign(digest: Uint8Array, secret: Uint8Array): RecoverableSignature {
  const signature = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  return {
    yParity: signature[0] as number,
    r: signature.subarray(1, 33),
    s: signature.subarray(33),
  }
}

/** Returns the 65-byte signature (r, s, v; v is 27 or 28) of a message (EIP-191, version 0x45). */
export function signMessage(message: Uint8Array, { secret }: AccountKey): Uint8Array {
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`)
  const { r, s, yParity } = sign(keccak_256(concatBytes([prefix, message])), secret)
  return concatBytes([r, s, Uint8Array.of(27 + yParity)])
}

function wireV({ type, chainId }: UnsignedTransaction, yParity: bigint): bigint {
  if (type !== 0) return yParity
  return chainId === undefined ? 27n + yParity : chainId * 2n + 35n + yParity
}

/** Returns the signed transaction in the encoding of eth_sendRawTransaction. */
export function signWithKey(
  transaction: UnsignedTransaction,
  { secret }: AccountKey,
  signDigest: SignDigest = sign,
): Uint8Array {
  const { r, s, yParity } = signDigest(signingDigest(transaction, keccak_256), secret)
  const wire: WireSignature = {
    v: wireV(transaction, BigInt(yParity)),
    r: bytesToBigint(r),
    s: bytesToBigint(s),
  }
  return encodeTransaction(transaction, wire)
}
