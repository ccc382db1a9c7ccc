import { request } from 'node:http'
import { type HttpServer, serveHttp } from '../../support/http-server.ts'

/** What happens to requests: forwarded, cut off unread, or forwarded with the responses to POSTs dropped. */
export type FaultMode = 'pass' | 'down' | 'lose'

/** An HTTP proxy that can fail between a client and a server. */
export interface FaultProxy extends HttpServer {
  mode: FaultMode
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const proxy = { mode: 'pass' as FaultMode }
  const server = await serveHttp((asked, answer) => {
    const { mode } = proxy
    if (mode === 'down') {
      answer.destroy()
      return
    }
    const { method, headers } = asked
    const out = request(new URL(asked.url ?? '/', target), { method, headers }, (answered) => {
      const isLost = mode === 'lose' && method === 'POST'
      if (isLost) {
        answered.resume()
        answered.on('end', () => answer.destroy())
        return
      }
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    out.on('error', () => answer.destroy())
    asked.pipe(out)
  })
  return Object.assign(proxy, server)
}
