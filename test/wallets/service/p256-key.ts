import { generateKeyPairSync } from 'node:crypto'

/** A P-256 pair as SDKs take it: base64 of PKCS #8 and of SPKI, both DER. */
export interface AuthorizationPair {
  readonly privateKey: string
  readonly publicKey: string
}

export function authorizationPair(): AuthorizationPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}
