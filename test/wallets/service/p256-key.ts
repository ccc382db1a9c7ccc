import { generateKeyPairSync } from 'node:crypto'

/** A P-256 key pair in the SDKs' format: base64 of the DER of PKCS #8 and of SPKI. */
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
