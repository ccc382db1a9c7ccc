import { createHash } from 'node:crypto'
import { HEADER_FAMILIES } from '../protocol/authorization.ts'
import type { Asked } from '../signer/signer-link.ts'
import type { Sameness } from './transaction-store.ts'

/** Idempotency keys are kept so long. */
const KEY_MS = 24 * 60 * 60_000

function header(asked: Asked, name: string): string | undefined {
  for (const family of HEADER_FAMILIES) {
    const value = asked.request.headers[`${family}-${name}`]
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/**
 * What makes a request the same as an earlier one: its idempotency key; or, until it expires, all of it: clients send
 * what was answered with an error again as it was signed. Without either, equal requests are several transfers.
 */
export function samenessOf(asked: Asked, now: number): Sameness | undefined {
  const { method, path, body } = asked.request
  const key = header(asked, 'idempotency-key')
  // An agent and its app name their requests each for itself.
  const who = asked.agent === undefined ? '' : `${asked.agent.id}:`
  const digest = createHash('sha256')
    .update(JSON.stringify([method, path, body]))
    .digest('base64url')
  if (key !== undefined) return { key: `${who}key:${key}`, digest, until: now + KEY_MS }
  const expiry = header(asked, 'request-expiry')
  if (expiry === undefined || !/^[0-9]{1,15}$/.test(expiry)) return undefined
  return { key: `${who}request:${expiry}:${digest}`, digest, until: Number(expiry) }
}
