import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto'

export const SEED_LENGTH = 32
export const PUBLIC_KEY_LENGTH = 32

/** PKCS #8 in front of an ed25519 seed (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** SubjectPublicKeyInfo in front of an ed25519 public key (RFC 8410, section 4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** An ed25519 key pair as CometBFT keeps it. */
export interface Ed25519Key {
  readonly publicKey: Uint8Array
  /** The seed followed by the public key; 64 bytes. */
  readonly secret: Uint8Array
  readonly signer: KeyObject
}

/** The key pair that grows from a seed of 32 bytes. */
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

/** True when `signature` is that of `message` by the holder of `publicKey`. */
export function verifySignature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = Buffer.concat([SPKI_PREFIX, publicKey])
  return verify(null, message, createPublicKey({ key, format: 'der', type: 'spki' }), signature)
}
