import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** A node as seen over the internet: it delays each response and counts the requests. */
export interface FarNode {
  readonly url: string
  /** Single requests so far; a batch counts each of its requests. */
  readonly requests: number
  /** HTTP requests so far. */
  readonly trips: number
  close(): Promise<void>
}

export async function openFarNode(near: string, latencyMs: number): Promise<FarNode> {
  let requests = 0
  let trips = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const parsed = JSON.parse(body)
    requests += Array.isArray(parsed) ? parsed.length : 1
    trips++
    const headers = { 'content-type': 'application/json' }
    const [answer] = await Promise.all([
      fetch(near, { method: 'POST', headers, body }).then((answered) => answered.text()),
      delay(latencyMs),
    ])
    response.writeHead(200, headers)
    response.end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests
    },
    get trips() {
      return trips
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
