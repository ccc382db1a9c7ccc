import { startFakeServer } from '../fake-server.ts'

/** Changes a node's response, given the path of a GET request and the bytes. */
export type Falsify = (path: string, body: Buffer) => Buffer

/** A proxy of a node that falsifies some of its responses. */
export interface LyingServer {
  readonly url: string
  /** Requested paths. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

/** Forwards every request to the node at `target`, and its response through `falsify`. */
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
