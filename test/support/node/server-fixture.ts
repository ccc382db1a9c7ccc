import { afterEach } from 'vitest'
import { chooseTransport } from '../../../host/server/listen.ts'
import type { Server, ServerOptions } from '../../../host/server/server.ts'
import { WorkScheduler } from '../../../host/server/work-scheduler.ts'
import { RawSocket } from './raw-socket.ts'

/** Both implementations, each of which has to pass all tests of a server. */
export const TRANSPORTS = ['uws', 'node'] as const

export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

export const url = (server: Server, path = '/'): string => `http://127.0.0.1:${server.port}${path}`

/** A promise with what settles it. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Servers of one implementation, and clients of them; all are closed after each test. */
export class ServerFixture {
  readonly cleanups: (() => unknown)[] = []
  readonly #transport: (typeof TRANSPORTS)[number]

  constructor(transport: (typeof TRANSPORTS)[number]) {
    this.#transport = transport
    afterEach(async () => {
      for (const cleanup of this.cleanups.splice(0).reverse()) await cleanup()
    })
  }

  async serve(options: Partial<ServerOptions> = {}): Promise<Server> {
    const { listen } = await chooseTransport(this.#transport)
    const server = await listen({
      work: new WorkScheduler(1 << 24),
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 1000,
      bodyIdleMs: 5000,
      maxConnections: 100,
      handler: (request) => ({ status: 200, body: `${request.method} ${text(request.body)}` }),
      ...options,
    })
    this.cleanups.push(() => server.close(0))
    return server
  }

  /** A client, over TLS where it trusts a certificate. */
  async connect(server: Server, trusted?: string): Promise<RawSocket> {
    const socket = await RawSocket.connect(server.port, trusted)
    this.cleanups.push(() => socket.destroy())
    return socket
  }
}
