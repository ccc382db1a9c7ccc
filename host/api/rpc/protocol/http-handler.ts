import type { Origins } from '../../server/origins.ts'
import { type Readiness, readyResponse } from '../../server/readiness.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../server/server.ts'
import type { ClientQuota } from '../../server/work-scheduler.ts'
import type { Caller } from '../call/rpc-call.ts'
import type { DispatchedAnswer, Dispatcher } from './dispatcher.ts'
import type { WorkerAnswerer } from './worker-dispatcher.ts'

export interface RpcHttpOptions {
  /** True to answer terminals whatever the content type of their requests. */
  readonly isDevelopment?: boolean
  readonly dispatcher: Dispatcher
  readonly corsOrigins: Origins
  readonly readiness: () => Readiness
}

const JSON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
])

const JSON_HEADERS = { 'content-type': 'application/json' }
const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' }

/** An HTTP caller. Its signal is created only for methods that use it. */
class HttpCaller implements Caller {
  readonly transport = 'http'
  readonly subscriber = undefined
  readonly #request: HttpRequest

  constructor(request: HttpRequest) {
    this.#request = request
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get account(): ClientQuota {
    return this.#request.account
  }
}

type Headers = Readonly<Record<string, string>>

/**
 * Returns a handler for the requests that an RPC worker answers itself; undefined, possibly later, for any other
 * request.
 */
export function workerHttpHandler(
  dispatcher: WorkerAnswerer,
  corsOrigins: Origins,
): (request: HttpRequest) => HttpResponse | Promise<HttpResponse | undefined> | undefined {
  return (request) => {
    if (request.method !== 'POST' || !isJson(request)) return undefined
    const own = dispatcher.answer(request.body, new HttpCaller(request))
    if (own === undefined) return undefined
    const cors = corsHeaders(corsOrigins, request)
    if (!(own instanceof Promise)) return respond(own.answer, cors)
    return own.then((late) => late && respond(late.answer, cors))
  }
}

/** Serves JSON-RPC over HTTP: POST on any path, GET for health checks, OPTIONS for browsers. */
export function rpcHttpHandler(options: RpcHttpOptions): HttpHandler {
  return (request) => {
    const cors = corsHeaders(options.corsOrigins, request)
    switch (request.method) {
      case 'POST':
        return post(options, request, cors)
      case 'GET':
      case 'HEAD':
        return get(options, request, cors)
      case 'OPTIONS':
        return { status: 204, headers: cors ?? {}, body: '' }
      default:
        return {
          status: 405,
          headers: { ...TEXT_HEADERS, allow: 'POST, GET, HEAD, OPTIONS' },
          body: 'method not allowed',
        }
    }
  }
}

function corsHeaders(origins: Origins, { headers, method }: HttpRequest): Headers | undefined {
  const origin = headers.get('origin')
  if (origin === undefined || !origins.allows(origin)) return undefined
  const allowed = { 'access-control-allow-origin': origin, vary: 'origin' }
  if (method !== 'OPTIONS') return allowed
  return {
    ...allowed,
    'access-control-allow-methods': 'POST, GET, HEAD, OPTIONS',
    'access-control-allow-headers': headers.get('access-control-request-headers') ?? '*',
    'access-control-max-age': '600',
  }
}

function post(
  { dispatcher, isDevelopment = false }: RpcHttpOptions,
  request: HttpRequest,
  cors: Headers | undefined,
): HttpResponse | Promise<HttpResponse> {
  // A page can send other content types to any server without a preflight, so they must not reach the methods.
  if (!isJson(request) && !(isDevelopment && isFromTerminal(request))) {
    return {
      status: 415,
      headers: TEXT_HEADERS,
      body: 'invalid content type, only application/json is supported',
    }
  }
  return respond(dispatcher.answer(request.body, new HttpCaller(request)), cors)
}

function respond(
  answer: DispatchedAnswer | Promise<DispatchedAnswer>,
  cors: Headers | undefined,
): HttpResponse | Promise<HttpResponse> {
  const headers = cors === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...cors }
  if (!(answer instanceof Promise)) return { status: 200, headers, body: answer ?? '' }
  return answer.then((late) => ({ status: 200, headers, body: late ?? '' }))
}

function isJson({ headers }: HttpRequest): boolean {
  const header = headers.get('content-type') ?? ''
  return header === 'application/json' || JSON_TYPES.has(mediaType(header))
}

/** Returns true for a request such as that of `curl -d`. A browser adds `Origin` to every POST of a page. */
function isFromTerminal({ headers }: HttpRequest): boolean {
  return headers.get('origin') === undefined && headers.get('sec-fetch-site') === undefined
}

function mediaType(header: string): string {
  const end = header.indexOf(';')
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
}

function get(
  { readiness }: RpcHttpOptions,
  { path, body }: HttpRequest,
  cors: Headers | undefined,
): HttpResponse {
  if (body.length > 0) return { status: 405, headers: TEXT_HEADERS, body: 'method not allowed' }
  if (path === '/ready') return readyResponse(readiness())
  if (path === '/health') return { status: 200, headers: JSON_HEADERS, body: '{"live":true}' }
  return { status: 200, headers: cors ?? {}, body: '' }
}
