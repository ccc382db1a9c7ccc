import { formatBase64, parseBase64 } from '../../base/base64.ts'

/** A P-256 key pair that authorizes requests. */
export interface AuthorizationKeyPair {
  /** PKCS #8 DER in base64. Keep it secret: its holder can authorize requests. */
  readonly privateKey: string
  /** SPKI DER in base64: the half to register. */
  readonly publicKey: string
}

/**
 * A private key as PKCS #8 DER in base64, with or without the prefix `wallet-auth:`; or a function that signs without
 * revealing the key. The function gets the bytes and returns a DER signature (ECDSA, P-256, SHA-256) in base64.
 */
export type AuthorizationKey = string | ((payload: Uint8Array<ArrayBuffer>) => Promise<string>)

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const PREFIX = /^wallet-(?:auth|api):/

/** Generates a key pair. */
export async function generateAuthorizationKey(): Promise<AuthorizationKeyPair> {
  const pair = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const [pkcs8, spki] = await Promise.all([
    crypto.subtle.exportKey('pkcs8', pair.privateKey),
    crypto.subtle.exportKey('spki', pair.publicKey),
  ])
  return {
    privateKey: formatBase64(new Uint8Array(pkcs8)),
    publicKey: formatBase64(new Uint8Array(spki)),
  }
}

/** Encodes a DER INTEGER: big-endian, in the shortest form that is not negative. */
function derInteger(bytes: Uint8Array): number[] {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const digits = [...bytes.subarray(start)]
  if ((digits[0] as number) >= 0x80) digits.unshift(0)
  return [0x02, digits.length, ...digits]
}

/** Encodes r and s, 32 bytes each as in WebCrypto, as the DER SEQUENCE that the API takes. */
function derSignature(both: Uint8Array): Uint8Array {
  const members = [...derInteger(both.subarray(0, 32)), ...derInteger(both.subarray(32))]
  return Uint8Array.from([0x30, members.length, ...members])
}

async function importKey(privateKey: string): Promise<CryptoKey> {
  try {
    const der = parseBase64(privateKey.replace(PREFIX, '')) as Uint8Array<ArrayBuffer>
    return await crypto.subtle.importKey('pkcs8', der, CURVE, false, ['sign'])
  } catch {
    // No `cause`: it would show the key.
    throw new TypeError(
      'the authorization key is not a P-256 private key: pass base64 of PKCS #8 DER, as generateAuthorizationKey makes it',
    )
  }
}

/** Returns the DER signature over the bytes in base64. @throws TypeError if the key is invalid */
export async function signPayload(
  key: AuthorizationKey,
  payload: Uint8Array<ArrayBuffer>,
): Promise<string> {
  if (typeof key === 'function') return key(payload)
  const imported = await importKey(key)
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, imported, payload)
  return formatBase64(derSignature(new Uint8Array(signed)))
}
