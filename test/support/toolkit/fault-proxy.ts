import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of requests: passed on, cut off unheard, or passed on with the answers to POSTs thrown away.
 */
export type FaultMode = 'pass' | 'down' | 'lose'

/** HTTP between a client and a server that may fail between the two. */
export interface FaultProxy {
  readonly url: string
  mode: FaultMode
  close(): Promise<void>
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const proxy = { url: '', mode: 'pass' as FaultMode, close: async () => {} }
  const server = createServer((asked, answer) => {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  proxy.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return proxy
}
