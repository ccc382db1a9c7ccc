import { isLoopback, isLoopbackHost } from './loopback.ts'
import { PAGE_HEADERS } from './page-html.ts'
import { isProxyHeader } from './proxy-headers.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from './server.ts'

function plainText(status: number, text: string, headers = {}): HttpResponse {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers: { ...type, ...headers }, body: `${text}\n` }
}

/**
 * Returns true for a request from this machine to this machine. A page of another site cannot make one (DNS
 * rebinding).
 */
function isOwn({ remoteAddress, headers }: HttpRequest): boolean {
  // The client of a proxy may be on another machine.
  if (!isLoopback(remoteAddress) || [...headers].some(([name]) => isProxyHeader(name))) return false
  const host = URL.parse(`http://${headers.get('host') ?? ''}`)?.hostname ?? ''
  return isLoopbackHost(host.replace(/^\[|\]$/g, ''))
}

/** Serves a read-only page to clients of this machine. */
export function localPage(render: () => Promise<string>): HttpHandler {
  return async (request) => {
    if (!isOwn(request))
      return plainText(403, 'this page is available only to clients on this machine')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plainText(405, 'method not allowed', { allow: 'GET, HEAD' })
    }
    return { status: 200, headers: PAGE_HEADERS, body: await render() }
  }
}
