import { formatBase64, parseBase64 } from '../../base/base64.ts'

/** A P-256 key that authorizes requests. Whoever has the private one decides. */
export interface AuthorizationKeyPair {
  /** base64 of PKCS #8 DER. */
  readonly privateKey: string
  /** base64 of SPKI DER: what is registered. */
  readonly publicKey: string
}

/**
 * A private key as base64 of PKCS #8 DER, `wallet-auth:` before it or not; or whatever signs without giving the key
 * away: it gets the bytes, and gives base64 of a DER signature by ECDSA with P-256 and SHA-256.
 */
export type AuthorizationKey = string | ((payload: Uint8Array<ArrayBuffer>) => Promise<string>)

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const PREFIX = /^wallet-(?:auth|api):/

/** Makes a key pair. */
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

/** An INTEGER of DER: big-endian, the shortest form that is not negative. */
function derInteger(bytes: Uint8Array): number[] {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const digits = [...bytes.subarray(start)]
  if ((digits[0] as number) >= 0x80) digits.unshift(0)
  return [0x02, digits.length, ...digits]
}

/** The SEQUENCE of r and s that the API takes, from both in 32 bytes each as WebCrypto gives them. */
function derSignature(both: Uint8Array): Uint8Array {
  const members = [...derInteger(both.subarray(0, 32)), ...derInteger(both.subarray(32))]
  return Uint8Array.from([0x30, members.length, ...members])
}

async function importKey(privateKey: string): Promise<CryptoKey> {
  try {
    const der = parseBase64(privateKey.replace(PREFIX, '')) as Uint8Array<ArrayBuffer>
    return await crypto.subtle.importKey('pkcs8', der, CURVE, false, ['sign'])
  } catch {
    // The cause would show the key
    throw new TypeError(
      'the authorization key is no P-256 private key: pass base64 of PKCS #8 DER, as generateAuthorizationKey makes it',
    )
  }
}

/** base64 of the DER signature over bytes. @throws TypeError where the key is none */
export async function signPayload(
  key: AuthorizationKey,
  payload: Uint8Array<ArrayBuffer>,
): Promise<string> {
  if (typeof key === 'function') return key(payload)
  const imported = await importKey(key)
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, imported, payload)
  return formatBase64(derSignature(new Uint8Array(signed)))
}
