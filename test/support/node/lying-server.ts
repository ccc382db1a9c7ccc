import { startFakeServer } from '../fake-server.ts'

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
  const { url, close } = await startFakeServer(async (response, { method, path, body }) => {
    asked.push(path)
    const headers = { 'content-type': 'application/json' }
    try {
      const answer = await fetch(new URL(path, target), {
        method,
        headers,
        ...(method === 'POST' && { body }),
      })
      const falsified = falsify(path, Buffer.from(await answer.arrayBuffer()))
      response.writeHead(answer.status, headers).end(falsified)
    } catch {
      response.destroy()
    }
  })
  return { url, asked, close }
}
