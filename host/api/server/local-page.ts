import { isLoopback, isLoopbackHost } from './loopback.ts'
import { PAGE_HEADERS } from './page-html.ts'
import { isProxyHeader } from './proxy-headers.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from './server.ts'

function plainText(status: number, text: string, headers = {}): HttpResponse {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers: { ...type, ...headers }, body: `${text}\n` }
}

/** True for a request of this machine to this machine: a page of another site cannot make one (DNS rebinding). */
function isOwn({ remoteAddress, headers }: HttpRequest): boolean {
  // A client behind a proxy is not on this machine.
  if (!isLoopback(remoteAddress) || [...headers].some(([name]) => isProxyHeader(name))) return false
  const host = URL.parse(`http://${headers.get('host') ?? ''}`)?.hostname ?? ''
  return isLoopbackHost(host.replace(/^\[|\]$/g, ''))
}

/** A page that is read, by clients of this machine alone. */
export function localPage(render: () => Promise<string>): HttpHandler {
  return async (request) => {
    if (!isOwn(request)) return plainText(403, 'this page is for clients of its own machine alone')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plainText(405, 'method not allowed', { allow: 'GET, HEAD' })
    }
    return { status: 200, headers: PAGE_HEADERS, body: await render() }
  }
}
