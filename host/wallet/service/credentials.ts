import { WalletError } from '../protocol/wallet-error.ts'

/** Who says to ask, and what proves it. */
export interface Credentials {
  readonly appId: string
  readonly secret: string
}

function unauthorized(text: string): WalletError {
  return new WalletError('unauthorized', text)
}

/**
 * Basic credentials (RFC 7617) of an app: its id and its secret. The header of the family names the app again.
 * @throws WalletError unauthorized
 */
export function readCredentials(
  authorization: string | undefined,
  named: string | undefined,
): Credentials {
  if (authorization === undefined) {
    throw unauthorized('pass the id and the secret of the app as Basic credentials')
  }
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization) ?? []
  if (encoded === undefined) throw unauthorized('the Authorization header is no Basic credentials')
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw unauthorized('Basic credentials are <app id>:<app secret>')
  const appId = text.slice(0, colon)
  if (named === undefined) throw unauthorized('the header wallet-app-id or privy-app-id is missing')
  if (named !== appId) {
    throw unauthorized('the app id header names another app than the Basic credentials')
  }
  return { appId, secret: text.slice(colon + 1) }
}
