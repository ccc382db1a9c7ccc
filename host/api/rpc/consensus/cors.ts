import type { Origins } from '../../server/origins.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../server/server.ts'

/** Section [rpc]: who may call from a web page, and how. */
export interface CorsOptions {
  readonly origins: Origins
  readonly methods: readonly string[]
  readonly headers: readonly string[]
}

/** The answer to a preflight; undefined where the request is none, or asks for what is not allowed. */
function preflight(
  { methods }: CorsOptions,
  { method, headers }: HttpRequest,
): HttpResponse | undefined {
  const wanted = headers.get('access-control-request-method')
  if (method !== 'OPTIONS' || wanted === undefined || !methods.includes(wanted)) return undefined
  return { status: 204, body: '' }
}

/** A handler that pages of the allowed origins may call (Fetch standard, section 3.2). */
export function corsHandler(options: CorsOptions, handler: HttpHandler): HttpHandler {
  const { origins, methods, headers } = options
  return async (request) => {
    const origin = request.headers.get('origin')
    if (origin === undefined || !origins.allows(origin)) return handler(request)
    const answer = preflight(options, request) ?? (await handler(request))
    return {
      ...answer,
      headers: {
        ...answer.headers,
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': headers.join(', '),
        vary: 'origin',
      },
    }
  }
}
