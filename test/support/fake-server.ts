import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type HttpServer, serveHttp } from './http-server.ts'

/** A request whose body has arrived. */
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

/** An HTTP server that keeps what it receives and answers as a test says. */
export interface FakeServer extends HttpServer {
  readonly received: Received[]
  /** Answers each request from now on; 200 without a body by default. */
  answer: FakeAnswer
}

export async function startFakeServer(
  answer: FakeAnswer = (response) => response.end(),
): Promise<FakeServer> {
  const fake = { received: [] as Received[], answer }
  const server = await serveHttp(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    // A client that breaks off has sent what it has sent
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
