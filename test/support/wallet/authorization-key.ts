import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { AuthorizationPayload } from '../../../host/wallet/protocol/authorization.ts'

/** A P-256 key that authorizes requests. */
export interface AuthorizationKey {
  /** base64 of SPKI DER. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

export function newAuthorizationKey(): AuthorizationKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return { publicKey: spki.toString('base64'), privateKey }
}

/** Signs the canonical JSON of a payload as SDKs do. Returns base64 of DER. */
export function authorize(payload: AuthorizationPayload, key: AuthorizationKey): string {
  const text = canonicalize(payload) as string
  return sign('sha256', Buffer.from(text), key.privateKey).toString('base64')
}
