import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer on its way from a node to who asked: the path of a GET request, and the bytes. */
export type Falsify = (path: string, body: Buffer) => Buffer

/** A node as another one shows it, with what it falsifies. */
export interface LyingServer {
  readonly url: string
  /** Paths that were asked for. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

/** Passes every request on to the node at `target` and its answer through `falsify`. */
export async function lieAbout(target: string, falsify: Falsify): Promise<LyingServer> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { url = '/', method = 'GET' } = request
    asked.push(url)
    try {
      const answer = await fetch(new URL(url, target), {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' && { body: Buffer.concat(parts) }),
      })
      const body = falsify(url, Buffer.from(await answer.arrayBuffer()))
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(body)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
