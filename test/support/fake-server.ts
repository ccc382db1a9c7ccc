import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type HttpServer, serveHttp } from './http-server.ts'

/** A request with its complete body. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type FakeAnswer = (
  response: ServerResponse,
  received: Received,
  request: IncomingMessage,
) => unknown

/** An HTTP server that records requests and responds as a test sets. */
export interface FakeServer extends HttpServer {
  readonly received: Received[]
  /** Responds to each request from now on, by default with 200 and no body. */
  answer: FakeAnswer
}

export async function startFakeServer(
  answer: FakeAnswer = (response) => response.end(),
): Promise<FakeServer> {
  const fake = { received: [] as Received[], answer }
  const server = await serveHttp(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    // An aborted request is recorded without its body
    const body = await text(request).catch(() => '')
    const received = { method, path, headers, body }
    fake.received.push(received)
    await fake.answer(response, received, request)
  })
  return Object.assign(fake, server)
}

export function answerJson(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(json))
}
