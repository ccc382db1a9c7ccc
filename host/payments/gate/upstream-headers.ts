import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { isProxyHeader } from '../../api/server/proxy-headers.ts'
import type { HttpRequest } from '../../api/server/server.ts'
import type { AcceptedPayment } from './payment-gate.ts'
import type { RequestPath } from './request-path.ts'

/** Of one connection (RFC 9110, 7.6.1), and what a connection of its own says anew. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
]

/** Proofs are the gate's. What the gate says of the payment nobody else may say. */
const OF_PAYMENT = ['x-payment', 'payment-signature']

/** With them a response may be a part, or nothing at all, and is paid for as a whole. */
const PARTIAL = [
  'range',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'expect',
]

/** Some servers take these for the path or the method, in place of those that were paid for. */
const STEERING = ['x-method-override', 'x-http-host-override', 'x-matched-path']

/** What the gate says anew in a response. */
const OF_GATE = [
  // They lead clients to other servers, as a redirect would.
  'refresh',
  'alt-svc',
  'cache-control',
  'expires',
  'pragma',
  'age',
  'etag',
  'last-modified',
  'accept-ranges',
  'vary',
  'date',
  'x-payment-response',
  'payment-response',
  'payment-required',
  'access-control-allow-origin',
  'access-control-expose-headers',
]

const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...OF_PAYMENT,
  ...PARTIAL,
  ...STEERING,
])
const NOT_PASSED_BACK: ReadonlySet<string> = new Set([...HOP_BY_HOP, ...OF_GATE])

/** Headers that Connection names are of the connection too. */
function named(connection: string | undefined): ReadonlySet<string> {
  return new Set(
    (connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
}

/** Headers of the request that goes to an upstream. */
export function requestHeaders(
  { headers, remoteAddress, body }: HttpRequest,
  { payer, txHash }: AcceptedPayment,
  to: { readonly host: string; readonly scheme: string; readonly path: RequestPath },
): OutgoingHttpHeaders {
  const ofConnection = named(headers.get('connection'))
  const passed = [...headers].filter(([name]) => {
    // CGI and WSGI write both characters as one
    const read = name.replaceAll('_', '-')
    const isSaidAnew = read.startsWith('x-payment-') || isProxyHeader(read)
    return !isSaidAnew && !NOT_PASSED_ON.has(read) && !ofConnection.has(name) && read !== 'host'
  })
  const host = to.path.authority ?? headers.get('host')
  return {
    ...Object.fromEntries(passed),
    // What is added to a body is added to its text.
    'accept-encoding': 'identity',
    host: to.host,
    'x-forwarded-for': remoteAddress,
    'x-forwarded-proto': to.scheme,
    ...(host !== undefined && { 'x-forwarded-host': host }),
    'x-payment-payer': payer,
    'x-payment-transaction': txHash,
    ...(body.length > 0 && { 'content-length': body.length }),
  }
}

/** Headers of an upstream's response as they are passed on. */
export function responseHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const ofConnection = named(headers.connection)
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_PASSED_BACK.has(name) || ofConnection.has(name)) continue
    // Cookies cannot be one line (RFC 6265, 3), and who pays for each request has no session.
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}
