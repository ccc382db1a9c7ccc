import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto'

export const SEED_LENGTH = 32
export const PUBLIC_KEY_LENGTH = 32

/** PKCS #8 prefix of an ed25519 seed (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** SubjectPublicKeyInfo prefix of an ed25519 public key (RFC 8410, section 4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** An ed25519 key pair in CometBFT's form. */
export interface Ed25519Key {
  readonly publicKey: Uint8Array
  /** The seed followed by the public key; 64 bytes. */
  readonly secret: Uint8Array
  readonly signer: KeyObject
}

/** Returns the key pair of a 32-byte seed. */
export function keyFromSeed(seed: Uint8Array): Ed25519Key {
  const signer = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = Uint8Array.from(
    Buffer.from(signer.export({ format: 'jwk' }).x as string, 'base64url'),
  )
  return { publicKey, secret: Uint8Array.from([...seed, ...publicKey]), signer }
}

export function generateKey(): Ed25519Key {
  return keyFromSeed(randomBytes(SEED_LENGTH))
}

/** Returns true if `signature` is a valid signature of `message` under `publicKey`. */
export function verifySignature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = Buffer.concat([SPKI_PREFIX, publicKey])
  return verify(null, message, createPublicKey({ key, format: 'der', type: 'spki' }), signature)
}
