import { LockstepError, messageOf } from '../../base/error.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../server/server.ts'
import { RequestScan, type RequestShape } from '../protocol/request-scan.ts'
import { Arguments } from './arguments.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import {
  failure,
  INVALID_PARAMS,
  LAG_TOO_HIGH,
  type RpcId,
  type RpcResponse,
  success,
} from './response.ts'
import { ROUTES, type Route } from './routes.ts'

const MAX_BATCH = 10

/** No request of ten calls needs as much. */
const REQUEST_SHAPE: RequestShape = { values: 1000, depth: 32 }

const NOT_FOUND = '404 page not found\n'

/** Milliseconds that a request is expected to take: most read a block and write it as JSON. */
const EXPECTED_MS = 1

/** The id of a response to a GET request. */
const URI_ID = -1

function invalidRequest(text: string): LockstepError {
  return new LockstepError('INVALID_REQUEST', text)
}

function headers(contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'x-server-time': String(Math.floor(Date.now() / 1000)),
  }
}

function json(status: number, body: RpcResponse | readonly RpcResponse[]): HttpResponse {
  return { status, headers: headers('application/json'), body: JSON.stringify(body) }
}

function text(status: number, body: string, extra: Record<string, string> = {}): HttpResponse {
  return { status, headers: { ...headers('text/plain; charset=utf-8'), ...extra }, body }
}

async function call(
  context: ConsensusRpcContext,
  route: Route,
  id: RpcId,
  values: ReadonlyMap<string, unknown>,
  caller: RouteCaller,
): Promise<RpcResponse> {
  try {
    const response = success(id, await route.call(context, new Arguments(values), caller))
    const error = route.check?.(context)
    return error === undefined ? response : { ...response, error }
  } catch (thrown) {
    return failure(id, thrown)
  }
}

/** Params by name, or an array in the order of the route's names. */
function paramValues(route: Route, params: unknown): ReadonlyMap<string, unknown> {
  if (params === undefined || params === null) return new Map()
  if (Array.isArray(params)) {
    if (params.length > route.params.length) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `expected ${route.params.length} params, got ${params.length}`,
      )
    }
    return new Map(params.map((value, i) => [route.params[i] as string, value]))
  }
  if (typeof params !== 'object') {
    throw new LockstepError('INVALID_ARGUMENT', 'params must be an object or an array')
  }
  return new Map(Object.entries(params))
}

/** The answer to one JSON-RPC request; undefined to a notification. */
async function answer(
  context: ConsensusRpcContext,
  request: unknown,
  caller: RouteCaller,
): Promise<RpcResponse | undefined> {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failure(null, invalidRequest('a request must be an object'))
  }
  const { id, method, params } = request as { id?: unknown; method?: unknown; params?: unknown }
  if (id === undefined) return undefined
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return failure(null, invalidRequest('id must be a string, a number or null'))
  }
  if (typeof method !== 'string') return failure(id, invalidRequest('method must be a string'))
  const route = ROUTES.get(method)
  if (route === undefined) {
    return failure(id, new LockstepError('METHOD_NOT_FOUND', `no method ${method}`))
  }
  try {
    return await call(context, route, id, paramValues(route, params), caller)
  } catch (thrown) {
    return failure(id, thrown)
  }
}

async function handlePost(
  context: ConsensusRpcContext,
  caller: HttpRequest,
): Promise<HttpResponse> {
  const { body, account } = caller
  let parsed: unknown
  try {
    const scan = new RequestScan(body, REQUEST_SHAPE)
    while (!scan.step());
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    return json(200, failure(null, new LockstepError('PARSE_ERROR', messageOf(cause))))
  }
  if (!Array.isArray(parsed)) {
    const response = await answer(context, parsed, caller)
    if (response === undefined) return text(204, '')
    return json(response.error?.code === LAG_TOO_HIGH ? 417 : 200, response)
  }
  if (parsed.length === 0) return json(200, failure(null, invalidRequest('the batch is empty')))
  if (parsed.length > MAX_BATCH) {
    return json(200, failure(null, invalidRequest('Batch size limit exceeded.')))
  }
  const responses: RpcResponse[] = []
  for (const request of parsed) {
    const turn = account.turn()
    if (turn !== undefined) await turn
    const response = await answer(context, request, caller)
    if (response !== undefined) responses.push(response)
  }
  return responses.length === 0 ? text(204, '') : json(200, responses)
}

async function handleGet(
  context: ConsensusRpcContext,
  request: HttpRequest,
): Promise<HttpResponse> {
  const route = ROUTES.get(request.path.slice(1))
  if (route === undefined) return text(404, NOT_FOUND)
  const response = await call(
    context,
    route,
    URI_ID,
    new Map(new URLSearchParams(request.query)),
    request,
  )
  const { error, ...withoutError } = response
  if (error?.code === LAG_TOO_HIGH) return json(417, withoutError)
  return json(error?.code === INVALID_PARAMS ? 400 : 200, response)
}

/** Answers in the client's turn. */
async function inTurn(
  { account }: HttpRequest,
  answerNow: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const turn = account.turn(EXPECTED_MS)
  if (turn !== undefined) await turn
  return answerNow()
}

function listRoutes(): HttpResponse {
  const links = [...ROUTES].map(([name, { params }]) => {
    const query = params.map((param) => `${param}=_`).join('&amp;')
    const link = query === '' ? `/${name}` : `/${name}?${query}`
    return `<li><a href="${link}">${link}</a></li>`
  })
  const body =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Consensus RPC</title></head>' +
    `<body><p>Available endpoints:</p><ul>${links.join('')}</ul></body></html>`
  return { status: 200, headers: headers('text/html; charset=utf-8'), body }
}

/**
 * The consensus RPC over HTTP: `GET /<route>?name=value`, `POST /` with one JSON-RPC request or a batch
 * of at most 10, `GET /` for the list of routes. An answer is always enveloped, with id -1 over GET.
 */
export function consensusRpcHandler(context: ConsensusRpcContext): HttpHandler {
  return (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead && request.method !== 'POST') {
      return text(405, '405 method not allowed\n', { allow: 'GET, HEAD, POST' })
    }
    if (request.path !== '/') {
      return isRead ? inTurn(request, () => handleGet(context, request)) : text(404, NOT_FOUND)
    }
    if (isRead || request.body.length === 0) return listRoutes()
    return inTurn(request, () => handlePost(context, request))
  }
}
