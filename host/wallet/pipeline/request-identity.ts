import { createHash } from 'node:crypto'
import { HEADER_FAMILIES } from '../protocol/authorization.ts'
import type { SignerRequest } from '../signer/signer-link.ts'
import type { RequestIdentity } from './transaction-store.ts'

/** How long idempotency keys are kept. */
const KEY_MS = 24 * 60 * 60_000

function header(asked: SignerRequest, name: string): string | undefined {
  for (const family of HEADER_FAMILIES) {
    const value = asked.request.headers[`${family}-${name}`]
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/**
 * Returns the identity of a request: its idempotency key, or the whole request until its expiry, as clients resend a
 * signed request after an error. Undefined without either: equal requests are then separate transfers.
 */
export function requestIdentityOf(asked: SignerRequest, now: number): RequestIdentity | undefined {
  const { method, path, body } = asked.request
  const key = header(asked, 'idempotency-key')
  // An agent and its app have separate key spaces.
  const who = asked.agent === undefined ? '' : `${asked.agent.id}:`
  const digest = createHash('sha256')
    .update(JSON.stringify([method, path, body]))
    .digest('base64url')
  if (key !== undefined) return { key: `${who}key:${key}`, digest, until: now + KEY_MS }
  const expiry = header(asked, 'request-expiry')
  if (expiry === undefined || !/^[0-9]{1,15}$/.test(expiry)) return undefined
  return { key: `${who}request:${expiry}:${digest}`, digest, until: Number(expiry) }
}
