import { createHash, timingSafeEqual } from 'node:crypto'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { nodeTransport } from '../../api/server/listen.ts'
import { isLoopbackHost } from '../../api/server/loopback.ts'
import type { HttpRequest, HttpResponse } from '../../api/server/server.ts'
import { WorkScheduler } from '../../api/server/work-scheduler.ts'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { LockstepError } from '../../base/error.ts'
import type { Toolkit } from '../provider/toolkit.ts'
import { createMcpServer } from './mcp-server.ts'

export interface McpHttpOptions {
  /** A loopback address: only a token protects the server, and nothing is encrypted. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** The bearer token that requests must carry. */
  readonly token: string
  readonly version: string
}

export interface McpHttp {
  /** The URL for clients. */
  readonly url: string
  close(): Promise<void>
}

const MAX_BODY = 1_000_000
const BODY_IDLE_MS = 10_000
const MAX_CONNECTIONS = 200
const MAX_HELD_BYTES = 64_000_000
const GRACE_MS = 2000

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): HttpResponse {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message }, id: null })
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

function requestOf({ method, path, headers, body, signal }: HttpRequest): Request {
  const host = headers.get('host') ?? 'localhost'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://${host}${path}`, {
    method,
    headers: [...headers],
    signal,
    ...(hasBody && { body: Uint8Array.from(body) }),
  })
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncIterable<BorrowedView> {
  for await (const borrowed of body) yield { borrowed }
}

async function answerOf(response: Response): Promise<HttpResponse> {
  const headers = Object.fromEntries(response.headers)
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false
  if (isStream && response.body !== null) {
    return { status: response.status, headers, body: piecesOf(response.body) }
  }
  return { status: response.status, headers, body: await response.text() }
}

/**
 * Serves a toolkit over MCP's streamable HTTP at `/mcp`. Accepts only local connections, its own host names (Host),
 * no foreign pages (Origin), and requests with the token.
 * @throws CONFIG_INVALID if other machines can reach the address; PORT_IN_USE
 */
export async function serveMcpHttp(toolkit: Toolkit, options: McpHttpOptions): Promise<McpHttp> {
  const { host, port, token, version } = options
  if (!isLoopbackHost(host)) {
    throw new LockstepError('CONFIG_INVALID', `--http: other machines can reach ${host}`, {
      hint: 'listen on 127.0.0.1, and let a proxy with TLS forward requests',
    })
  }
  const handler = createMcpHandler(() => createMcpServer(toolkit, version), {
    maxRequestBodySize: MAX_BODY,
  })
  const wanted = digest(`Bearer ${token}`)
  const answer = async (asked: HttpRequest): Promise<HttpResponse> => {
    const request = requestOf(asked)
    const rejected =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (rejected !== undefined) return answerOf(rejected)
    if (asked.path !== '/mcp') return refusal(404, 'there is nothing here but /mcp')
    const given = digest(asked.headers.get('authorization') ?? '')
    if (!timingSafeEqual(given, wanted)) {
      return refusal(401, 'the bearer token is missing or wrong', { 'www-authenticate': 'Bearer' })
    }
    return answerOf(await handler.fetch(request))
  }
  const { listen } = await nodeTransport()
  const server = await listen({
    work: new WorkScheduler(MAX_HELD_BYTES),
    host,
    port,
    maxBodyBytes: MAX_BODY,
    bodyIdleMs: BODY_IDLE_MS,
    maxConnections: MAX_CONNECTIONS,
    handler: answer,
  })
  const name = server.host.includes(':') ? `[${server.host}]` : server.host
  return {
    url: `http://${name}:${server.port}/mcp`,
    close: async () => {
      await handler.close()
      await server.close(GRACE_MS)
    },
  }
}
