import canonicalize from 'canonicalize'
import type { AuthorizationPayload } from '../protocol/authorization.ts'
import { type AuthorizationKey, signPayload } from './authorization-key.ts'
import type { OperationName } from './operations.ts'

/**
 * A request for its owners to approve: JSON that each of them reads and signs with `approve`. The signature covers
 * all of it.
 */
export interface Proposal<Name extends OperationName = OperationName> {
  readonly operation: Name
  readonly method: AuthorizationPayload['method']
  readonly url: string
  readonly body: Readonly<Record<string, unknown>>
  /** The app, the idempotency key and the expiry (milliseconds since 1970). */
  readonly headers: Readonly<Record<string, string>>
}

function payloadOf({ method, url, body, headers }: Omit<Proposal, 'operation'>): string {
  const isEmpty = Object.keys(body).length === 0
  const payload: AuthorizationPayload = {
    version: 1,
    method,
    url,
    body: isEmpty ? '' : body,
    headers,
  }
  return canonicalize(payload) as string
}

/** Returns the signature of one approver, for `submit`. */
export async function approve(
  proposal: Omit<Proposal, 'operation'>,
  key: AuthorizationKey,
): Promise<string> {
  return signPayload(key, new TextEncoder().encode(payloadOf(proposal)))
}
