import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy that counts the bytes of the responses. */
export interface CountingProxy {
  /** `host:port`. */
  readonly host: string
  /** Returns the bytes from the server since the last call. */
  take(): number
  close(): Promise<void>
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(`http://${target}`)
  const sockets = new Set<Socket>()
  let bytes = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    upstream.on('data', (chunk) => {
      bytes += chunk.length
    })
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = bytes
      bytes = 0
      return taken
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
