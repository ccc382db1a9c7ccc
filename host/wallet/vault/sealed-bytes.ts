import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const SECRET_BYTES = 32
const SEALED_BYTES = NONCE_BYTES + SECRET_BYTES + TAG_BYTES

/** AES-256-GCM: returns a random nonce, the ciphertext and the tag. */
export function sealBytes(key: Uint8Array, secret: Uint8Array, aad: string): Uint8Array {
  if (secret.length !== SECRET_BYTES) throw new TypeError(`a secret has 32 bytes`)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(aad))
  const body = cipher.update(secret)
  cipher.final()
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

/** Returns the 32 bytes, which the caller must zero. Undefined if they do not authenticate. */
export function openBytes(
  key: Uint8Array,
  sealed: Uint8Array,
  aad: string,
): Uint8Array | undefined {
  if (sealed.length !== SEALED_BYTES) return undefined
  const options = { authTagLength: TAG_BYTES }
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, options)
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(sealed.subarray(SEALED_BYTES - TAG_BYTES))
  const secret = decipher.update(sealed.subarray(NONCE_BYTES, SEALED_BYTES - TAG_BYTES))
  try {
    decipher.final()
    return secret
  } catch {
    secret.fill(0)
    return undefined
  }
}
