import type { Origins } from '../../server/origins.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../server/server.ts'

/** CORS settings of section [rpc]. */
export interface CorsOptions {
  readonly origins: Origins
  readonly methods: readonly string[]
  readonly headers: readonly string[]
}

/**
 * Returns the response to a preflight; undefined if the request is not a preflight or asks for something not allowed.
 */
function preflight(
  { methods }: CorsOptions,
  { method, headers }: HttpRequest,
): HttpResponse | undefined {
  const wanted = headers.get('access-control-request-method')
  if (method !== 'OPTIONS' || wanted === undefined || !methods.includes(wanted)) return undefined
  return { status: 204, body: '' }
}

/** Wraps a handler so that pages of the allowed origins may call it (Fetch standard, section 3.2). */
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
