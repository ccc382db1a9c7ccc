import { parseBase64 } from '../../base/base64.ts'

/** An event as the service sends it. */
export interface WebhookEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** A delivery of an event, as it came in. */
export interface WebhookDelivery {
  /** The `whsec_...` that `createWebhook` gave; several while it is being changed. */
  readonly secret: string | readonly string[]
  /** Those of the request: `svix-...` or `webhook-...` are looked at. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** As it came, to the byte. */
  readonly body: string | Uint8Array
  /** Seconds that the time of the delivery may be off: 300. */
  readonly tolerance?: number | undefined
  /** Milliseconds since 1970, in place of the clock. */
  readonly now?: number | undefined
}

function headerOf(headers: WebhookDelivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'object' ? found[0] : found
}

function part(headers: WebhookDelivery['headers'], name: string): string {
  const value = headerOf(headers, `webhook-${name}`) ?? headerOf(headers, `svix-${name}`)
  if (value !== undefined) return value
  throw new Error(`the delivery has no header webhook-${name}: it is not of the wallet service`)
}

async function isSignedBy(
  secret: string,
  content: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
): Promise<boolean> {
  const bytes = parseBase64(secret.replace(/^whsec_/, '')) as Uint8Array<ArrayBuffer>
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  for (const signature of signatures) {
    let given: Uint8Array<ArrayBuffer>
    try {
      given = parseBase64(signature) as Uint8Array<ArrayBuffer>
    } catch {
      continue
    }
    // Compares in constant time
    if (await crypto.subtle.verify('HMAC', key, given, content)) return true
  }
  return false
}

/**
 * The event of a delivery that the service has signed. Deliveries come at least once: `webhook-id` names one.
 * @throws Error where it has not, or the time is off
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { secret, headers, body, tolerance = 300, now = Date.now() } = delivery
  const [id, timestamp, list] = ['id', 'timestamp', 'signature'].map((name) => part(headers, name))
  const seconds = /^\d{1,12}$/.test(timestamp as string) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(now / 1000 - seconds) <= tolerance)) {
    throw new Error(`the delivery is of ${timestamp}, more than ${tolerance} seconds off`)
  }
  const text = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + text.length)
  content.set(head)
  content.set(text, head.length)
  const signatures = (list as string)
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => one.slice(3))
  const secrets = typeof secret === 'string' ? [secret] : secret
  const found = await Promise.all(secrets.map((one) => isSignedBy(one, content, signatures)))
  if (!found.includes(true)) throw new Error('no signature of the delivery is of this secret')
  return JSON.parse(new TextDecoder().decode(text)) as WebhookEvent
}
