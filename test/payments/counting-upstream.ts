import type { RequestListener } from 'node:http'
import { type HttpServer, serveHttp } from '../support/http-server.ts'

/** A server behind the gate that records the requests that reach it. Its response can be set. */
export interface CountingUpstream extends HttpServer {
  /** Method and target of each request, in order. */
  readonly reached: string[]
  /** Responds to each request from now on. */
  answer: RequestListener
}

export const SECRET = 'what was paid for'

/** The default response of an upstream. */
export const serveSecret: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json')
  // The upstream's cache headers concern its readers, and it does not know who has paid.
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
