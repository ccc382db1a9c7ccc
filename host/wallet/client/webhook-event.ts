import { parseBase64 } from '../../base/base64.ts'

/** An event as the service sends it. */
export interface WebhookEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** A delivery of an event as received. */
export interface WebhookDelivery {
  /** The `whsec_...` from `createWebhook`. Pass several during a rotation. */
  readonly secret: string | readonly string[]
  /** The request headers. Reads `svix-...` or `webhook-...`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The raw body, unchanged to the byte. */
  readonly body: string | Uint8Array
  /** Allowed clock difference to the time of the delivery, in seconds. Default: 300. */
  readonly tolerance?: number | undefined
  /** Milliseconds since 1970. Replaces the clock. */
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
  throw new Error(`the delivery has no header webhook-${name}: it is not from the wallet service`)
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
    // Compares in constant time.
    if (await crypto.subtle.verify('HMAC', key, given, content)) return true
  }
  return false
}

/**
 * Verifies the signature of a delivery and returns its event. Deliveries arrive at least once: `webhook-id`
 * identifies one.
 * @throws Error if no signature matches or the time is out of tolerance
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { secret, headers, body, tolerance = 300, now = Date.now() } = delivery
  const [id, timestamp, list] = ['id', 'timestamp', 'signature'].map((name) => part(headers, name))
  const seconds = /^\d{1,12}$/.test(timestamp as string) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(now / 1000 - seconds) <= tolerance)) {
    throw new Error(`the time of the delivery is ${timestamp}, more than ${tolerance} seconds off`)
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
  if (!found.includes(true)) throw new Error('no signature of the delivery matches the secret')
  return JSON.parse(new TextDecoder().decode(text)) as WebhookEvent
}
