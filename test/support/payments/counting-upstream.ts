import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server behind the gate: it counts what reaches it and answers as it is told. */
export interface CountingUpstream {
  readonly url: string
  readonly port: number
  /** Method and target of each request, in order. */
  readonly reached: string[]
  /** What each request from now on is answered. */
  answer: Answer
  close(): Promise<void>
}

export const SECRET = 'what was paid for'

/** What an upstream answers until it is told otherwise. */
export const serveSecret: Answer = (_request, response) => {
  response.setHeader('content-type', 'application/json')
  // What an upstream says of caches is about who may read it, and it does not know who has paid.
  response.setHeader('cache-control', 'public, max-age=3600')
  response.setHeader('etag', '"1"')
  response.end(JSON.stringify({ secret: SECRET }))
}

export async function startCountingUpstream(): Promise<CountingUpstream> {
  const reached: string[] = []
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    upstream.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const upstream: CountingUpstream = {
    url: `http://127.0.0.1:${port}`,
    port,
    reached,
    answer: serveSecret,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return upstream
}
