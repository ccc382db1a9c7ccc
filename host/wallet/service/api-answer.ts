import type { HttpResponse } from '../../api/server/server.ts'
import type { WalletError } from '../protocol/wallet-error.ts'

/** No CORS: the secret of an app is never used from a web page. */
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** A response before it is sent, and as it is stored. */
export interface ApiAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** JSON integers are doubles: bigger ones become 0x-hex. */
function exact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `0x${value.toString(16)}` : value
}

export function jsonAnswer(value: unknown, status = 200): ApiAnswer {
  return { status, body: JSON.stringify(value, exact) }
}

function headersOf({ code, status, details }: WalletError): Record<string, string> {
  const headers: Record<string, string> = {}
  const { retry_after: seconds } = details
  if (typeof seconds === 'number') headers['retry-after'] = String(seconds)
  else if (status === 503) headers['retry-after'] = '1'
  // Clients retry by themselves. A transaction that may have been sent must not be retried.
  if (details.transaction_id !== undefined) headers['x-should-retry'] = 'false'
  if (code === 'unauthorized') headers['www-authenticate'] = 'Basic realm="wallets"'
  return headers
}

export function errorAnswer(error: WalletError): ApiAnswer {
  const { status, code, message, details } = error
  const body = JSON.stringify({ ...details, error: message, code }, exact)
  return { status, body, headers: headersOf(error) }
}

export function httpResponse({ status, body, headers }: ApiAnswer): HttpResponse {
  return { status, body, headers: { ...HEADERS, ...headers } }
}
