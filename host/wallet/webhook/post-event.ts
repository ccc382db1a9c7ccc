import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { messageOf } from '../../base/error.ts'
import type { Delivery } from './webhook-store.ts'
import type { TargetAddress } from './webhook-target.ts'

/** Bytes read of a response. Only its status counts, but reading a short body lets the connection close cleanly. */
const MAX_ANSWER = 64 * 1024

const SECOND_MS = 1_000

export interface PostOptions {
  readonly url: URL
  readonly address: TargetAddress
  readonly secrets: readonly string[]
  readonly delivery: Delivery
  /** Milliseconds since 1970. */
  readonly now: number
  readonly signal: AbortSignal
}

/**
 * Returns the headers of Standard Webhooks, signed with each active secret; also as `svix-...`, which most clients
 * expect.
 */
export function eventHeaders({
  secrets,
  delivery,
  now,
}: Pick<PostOptions, 'secrets' | 'delivery' | 'now'>): Record<string, string> {
  const time = new Date(now)
  const id = delivery.event_id
  const timestamp = String(Math.floor(now / SECOND_MS))
  const signature = secrets
    .map((secret) => new Webhook(secret).sign(id, time, delivery.body))
    .join(' ')
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'lockstep-webhooks',
  }
  for (const family of ['svix', 'webhook']) {
    headers[`${family}-id`] = id
    headers[`${family}-timestamp`] = timestamp
    headers[`${family}-signature`] = signature
  }
  return headers
}

/** Posts an event to the pinned address. @returns undefined if it was accepted, else the reason */
export async function postEvent(options: PostOptions): Promise<string | undefined> {
  try {
    const status = await post(options)
    if (status >= 200 && status < 300) return undefined
    return status >= 300 && status < 400
      ? `HTTP ${status}: redirects are not followed`
      : `HTTP ${status}`
  } catch (error) {
    return options.signal.aborted
      ? 'no response in time'
      : messageOf(error) || 'the connection failed'
  }
}

function post(options: PostOptions): Promise<number> {
  const { url, address, delivery, signal } = options
  const lookup = ((_name, { all }, found) => {
    if (all === true) found(null, [address])
    else found(null, address.address, address.family)
  }) as LookupFunction
  const body = Buffer.from(delivery.body)
  const headers = { ...eventHeaders(options), 'content-length': String(body.length) }
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? requestHttps : requestHttp
    const request: ClientRequest = open(url, {
      method: 'POST',
      headers,
      lookup,
      agent: false,
      signal,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      readShort(request, response)
      resolve(response.statusCode ?? 0)
    })
    request.end(body)
  })
}

function readShort(request: ClientRequest, response: IncomingMessage): void {
  let length = 0
  response.on('error', () => {})
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > MAX_ANSWER) request.destroy()
  })
}
