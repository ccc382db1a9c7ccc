import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { isProxyHeader } from '../../api/server/proxy-headers.ts'
import type { HttpRequest } from '../../api/server/server.ts'
import type { AcceptedPayment } from './payment-gate.ts'
import type { RequestPath } from './request-path.ts'

/** Hop-by-hop headers (RFC 9110, 7.6.1), and others that each connection sets itself. */
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

/** Headers reserved for the gate: proofs, and its statements about the payment. */
const OF_PAYMENT = ['x-payment', 'payment-signature']

/** Conditional and range headers: the response could be partial or empty, although the whole is paid for. */
const PARTIAL = [
  'range',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'expect',
]

/** Some servers take path or method from these, in place of those that were paid for. */
const STEERING = ['x-method-override', 'x-http-host-override', 'x-matched-path']

/** Response headers that the gate sets itself or removes. */
const OF_GATE = [
  // Like a redirect, these lead clients to other servers.
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

/** Returns the names listed in Connection, which are hop-by-hop too. */
function named(connection: string | undefined): ReadonlySet<string> {
  return new Set(
    (connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
}

/** Returns the headers of the request to an upstream. */
export function requestHeaders(
  { headers, remoteAddress, body }: HttpRequest,
  { payer, txHash }: AcceptedPayment,
  to: { readonly host: string; readonly scheme: string; readonly path: RequestPath },
): OutgoingHttpHeaders {
  const ofConnection = named(headers.get('connection'))
  const passed = [...headers].filter(([name]) => {
    // CGI and WSGI treat the two characters as one
    const read = name.replaceAll('_', '-')
    const isSaidAnew = read.startsWith('x-payment-') || isProxyHeader(read)
    return !isSaidAnew && !NOT_PASSED_ON.has(read) && !ofConnection.has(name) && read !== 'host'
  })
  const host = to.path.authority ?? headers.get('host')
  return {
    ...Object.fromEntries(passed),
    // The gate adds members to the decoded text.
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

/** Returns the headers of an upstream's response to pass on. */
export function responseHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const ofConnection = named(headers.connection)
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_PASSED_BACK.has(name) || ofConnection.has(name)) continue
    // Drops multi-valued headers. Cookies cannot be joined into one line (RFC 6265, 3) and are useless to per-request
    // payers.
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}
