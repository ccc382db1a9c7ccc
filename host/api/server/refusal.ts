import type { HttpResponse } from './server.ts'
import type { VirtualHosts } from './virtual-hosts.ts'

function plainText(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

/** Responses of a server itself, identical in both implementations. */
export const BODY_TOO_LARGE: HttpResponse = plainText(413, 'request body too large')
export const BODY_TIMED_OUT: HttpResponse = plainText(408, 'request body timed out')
export const HANDLER_FAILED: HttpResponse = plainText(500, 'internal error')
export const NO_UPGRADE: HttpResponse = plainText(400, 'no WebSocket here')
export const ORIGIN_REFUSED: HttpResponse = plainText(403, 'origin not allowed')
export const BODY_TOO_FRAGMENTED: HttpResponse = plainText(
  400,
  'request body in too many small pieces',
)
export const LENGTHS_DIFFER: HttpResponse = plainText(400, 'bad Content-Length')
export const REQUEST_MALFORMED: HttpResponse = plainText(400, 'bad request')
export const HEAD_TOO_LARGE: HttpResponse = plainText(431, 'request header fields too large')
export const HOST_REFUSED: HttpResponse = plainText(403, 'invalid host specified')
export const CODING_UNKNOWN: HttpResponse = plainText(501, 'unsupported transfer encoding')
export const LENGTH_REQUIRED: HttpResponse = plainText(411, 'Content-Length is required')
export const METHOD_UNKNOWN: HttpResponse = plainText(501, 'method not implemented')
export const VERSION_UNKNOWN: HttpResponse = plainText(505, 'HTTP version not supported')
export const CHUNKS_UNREAD: HttpResponse = plainText(
  501,
  'chunked request bodies are not supported here: send Content-Length, or set evm.rpc_server = "node"',
)

/** The memory for clients is exhausted. */
export const CLIENT_MEMORY_EXHAUSTED: HttpResponse = {
  ...plainText(
    503,
    'client memory limit reached (evm.max_client_bytes): read the pending responses, or try again shortly',
  ),
  headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' },
}

/** Returns the refusal of a request because of its Host header, if it must be refused. */
export function hostRefusal(
  hosts: VirtualHosts,
  host: string | undefined,
): HttpResponse | undefined {
  const verdict = hosts.judge(host)
  if (verdict === 'served') return undefined
  return verdict === 'other' ? HOST_REFUSED : REQUEST_MALFORMED
}
