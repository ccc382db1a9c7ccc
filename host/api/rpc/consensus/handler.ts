import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../server/server.ts'
import { answer, answerRoute, invalidRequest } from './answer.ts'
import { parseRequest } from './request.ts'
import {
  failure,
  INVALID_PARAMS,
  LAG_TOO_HIGH,
  METHOD_NOT_FOUND,
  type ResponseJson,
  type RpcResponse,
  UNREACHABLE,
  writeResponse,
} from './response.ts'
import type { Routes, ServedRoutes } from './route.ts'

/** HTTP statuses of errors over GET. */
const STATUS: ReadonlyMap<number, number> = new Map([
  [INVALID_PARAMS, 400],
  [METHOD_NOT_FOUND, 404],
  [UNREACHABLE, 503],
])

const NOT_FOUND = '404 page not found\n'

/** Expected milliseconds of a request, for scheduling: most read a block and encode it as JSON. */
const EXPECTED_MS = 1

/** Id of a response over GET. */
const URI_ID = -1

function headers(contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'x-server-time': String(Math.floor(Date.now() / 1000)),
  }
}

function json(status: number, body: RpcResponse): HttpResponse {
  return { status, headers: headers('application/json'), body: writeResponse(body) }
}

function text(status: number, body: string, extra: Record<string, string> = {}): HttpResponse {
  return { status, headers: { ...headers('text/plain; charset=utf-8'), ...extra }, body }
}

/** Yields the responses of a batch. Each is created on demand, because it may be long. */
async function* batchResponses<Context>(
  served: ServedRoutes<Context>,
  requests: readonly unknown[],
  caller: HttpRequest,
): AsyncGenerator<ResponseJson> {
  for (const request of requests) {
    const turn = caller.account.yield()
    if (turn !== undefined) await turn
    const response = await answer(served, request, caller)
    if (response !== undefined) yield writeResponse(response)
  }
}

/** Continues a batch from its first streamed response; `before` is the text before it. */
async function* restOfBatch(
  before: string,
  long: AsyncIterable<BorrowedView>,
  rest: AsyncGenerator<ResponseJson>,
): AsyncGenerator<BorrowedView> {
  yield { borrowed: Buffer.from(before) }
  yield* long
  for await (const response of rest) {
    yield { borrowed: Buffer.from(',') }
    if (typeof response === 'string') yield { borrowed: Buffer.from(response) }
    else yield* response
  }
  yield { borrowed: Buffer.from(']') }
}

async function handleBatch<Context>(
  served: ServedRoutes<Context>,
  requests: readonly unknown[],
  caller: HttpRequest,
): Promise<HttpResponse> {
  const responses = batchResponses(served, requests, caller)
  const texts: string[] = []
  const answered = (body: HttpResponse['body']) => ({
    status: 200,
    headers: headers('application/json'),
    body,
  })
  for (;;) {
    const { value, done } = await responses.next()
    if (done === true) break
    if (typeof value === 'string') {
      texts.push(value)
      continue
    }
    const before = `[${texts.map((each) => `${each},`).join('')}`
    return answered(restOfBatch(before, value, responses))
  }
  return texts.length === 0 ? text(204, '') : answered(`[${texts.join(',')}]`)
}

async function handlePost<Context>(
  served: ServedRoutes<Context>,
  caller: HttpRequest,
): Promise<HttpResponse> {
  let parsed: unknown
  try {
    parsed = parseRequest(caller.body)
  } catch (cause) {
    return json(200, failure(null, new LockstepError('PARSE_ERROR', messageOf(cause))))
  }
  if (!Array.isArray(parsed)) {
    const response = await answer(served, parsed, caller)
    if (response === undefined) return text(204, '')
    return json(response.error?.code === LAG_TOO_HIGH ? 417 : 200, response)
  }
  if (parsed.length === 0) return json(200, failure(null, invalidRequest('the batch is empty')))
  if (served.maxBatch > 0 && parsed.length > served.maxBatch) {
    return json(200, failure(null, invalidRequest('Batch size limit exceeded.')))
  }
  return handleBatch(served, parsed, caller)
}

/** Returns the query parameters by name. The first of several with one name counts, as in CometBFT. */
function parametersOf(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (!parameters.has(name)) parameters.set(name, value)
  }
  return parameters
}

async function handleGet<Context>(
  { context, routes }: ServedRoutes<Context>,
  request: HttpRequest,
): Promise<HttpResponse> {
  const route = routes.get(request.path.slice(1))
  if (route === undefined) return text(404, NOT_FOUND)
  const response = await answerRoute(context, route, URI_ID, parametersOf(request.query), request)
  const { error, ...withoutError } = response
  if (error?.code === LAG_TOO_HIGH) return json(417, withoutError)
  return json(STATUS.get(error?.code ?? 0) ?? 200, response)
}

/** Answers after the client's quota allows it. */
async function inTurn(
  { account }: HttpRequest,
  answerNow: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const turn = account.yield(EXPECTED_MS)
  if (turn !== undefined) await turn
  return answerNow()
}

function listRoutes<Context>(routes: Routes<Context>): HttpResponse {
  const links = [...routes].map(([name, { params }]) => {
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
 * Serves the consensus RPC over HTTP: `GET /<route>?name=value`, `POST /` with a JSON-RPC request or a batch, and
 * `GET /` for the list of routes. Responses always have an envelope; over GET its id is -1.
 */
export function consensusRpcHandler<Context>(served: ServedRoutes<Context>): HttpHandler {
  return (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead && request.method !== 'POST') {
      return text(405, '405 method not allowed\n', { allow: 'GET, HEAD, POST' })
    }
    if (request.path !== '/') {
      return isRead ? inTurn(request, () => handleGet(served, request)) : text(404, NOT_FOUND)
    }
    if (isRead || request.body.length === 0) return listRoutes(served.routes)
    return inTurn(request, () => handlePost(served, request))
  }
}
