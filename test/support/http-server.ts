import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server of a test, on a free port of 127.0.0.1. */
export interface HttpServer {
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Stops it and destroys its connections. */
  close(): Promise<void>
}

export async function serveHttp(listener: RequestListener = () => {}): Promise<HttpServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const { port, close } = await serveHttp()
  await close()
  return port
}
