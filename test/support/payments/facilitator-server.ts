import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Facilitator } from '../../../host/payments/settle/facilitator.ts'

export interface FacilitatorServer {
  readonly url: string
  close(): Promise<void>
}

/** A facilitator on a free port of this machine. */
export async function serveFacilitator(facilitator: Facilitator): Promise<FacilitatorServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const { method = 'GET', url: path = '/', headers } = request
      const { authorization } = headers
      const body = Buffer.concat(parts)
      const answer = await facilitator.answer({ method, path, authorization, body })
      if (answer === undefined) return response.writeHead(404).end()
      response.writeHead(answer.status, answer.headers).end(answer.body)
      return answer.delivered()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
