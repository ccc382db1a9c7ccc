import type { RequestListener } from 'node:http'
import { type HttpServer, serveHttp } from '../support/http-server.ts'

/** A server behind the gate: it counts what reaches it and answers as it is told. */
export interface CountingUpstream extends HttpServer {
  /** Method and target of each request, in order. */
  readonly reached: string[]
  /** What each request from now on is answered. */
  answer: RequestListener
}

export const SECRET = 'what was paid for'

/** What an upstream answers until it is told otherwise. */
export const serveSecret: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json')
  // What an upstream says of caches is about who may read it, and it does not know who has paid.
  response.setHeader('cache-control', 'public, max-age=3600')
  response.setHeader('etag', '"1"')
  response.end(JSON.stringify({ secret: SECRET }))
}

export async function startCountingUpstream(): Promise<CountingUpstream> {
  const upstream = { reached: [] as string[], answer: serveSecret }
  const server = await serveHttp((request, response) => {
    upstream.reached.push(`${request.method} ${request.url}`)
    upstream.answer(request, response)
  })
  return Object.assign(upstream, server)
}
