import { AGENT_PREFIX } from '../protocol/agent.ts'
import { WalletError } from '../protocol/wallet-error.ts'

/** Credentials as claimed by a request. */
export interface Credentials {
  /** The id of an app or of an agent. */
  readonly id: string
  readonly secret: string
  readonly isAgent: boolean
  /** The app, or the agent, in the app id header. */
  readonly named: string
}

function unauthorized(text: string): WalletError {
  return new WalletError('unauthorized', text)
}

/**
 * Parses Basic credentials (RFC 7617) of an app or an agent: its id and its secret. The app id header must name the
 * same app. For an agent it may also have the agent's id, as clients send that know apps only.
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
  if (encoded === undefined) throw unauthorized('the Authorization header has no Basic credentials')
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw unauthorized('Basic credentials are <app id>:<app secret>')
  const id = text.slice(0, colon)
  const isAgent = id.startsWith(AGENT_PREFIX)
  if (named === undefined) throw unauthorized('the header wallet-app-id or privy-app-id is missing')
  if (named !== id && !isAgent) {
    throw unauthorized('the app id header names another app than the Basic credentials')
  }
  return { id, secret: text.slice(colon + 1), isAgent, named }
}
