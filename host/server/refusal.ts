import type { HttpResponse } from './server.ts'

function plainText(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

/** The answers that a server gives by itself, the same behind both implementations. */
export const BODY_TOO_LARGE: HttpResponse = plainText(413, 'request body too large')
export const BODY_TIMED_OUT: HttpResponse = plainText(408, 'request body timed out')
export const HANDLER_FAILED: HttpResponse = plainText(500, 'internal error')
export const NO_UPGRADE: HttpResponse = plainText(400, 'no WebSocket here')
export const ORIGIN_REFUSED: HttpResponse = plainText(403, 'origin not allowed')
