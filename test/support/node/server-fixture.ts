import { afterAll, afterEach } from 'vitest'
import { chooseTransport } from '../../../host/api/server/listen.ts'
import type { Listen, Server, ServerOptions } from '../../../host/api/server/server.ts'
import { RpcWorkerPool } from '../../../host/api/server/threads/rpc-worker-pool.ts'
import { WorkScheduler } from '../../../host/api/server/work-scheduler.ts'
import { RawSocket } from './raw-socket.ts'

/** The HTTP server libraries. */
export const TRANSPORTS = ['uws', 'node'] as const

/** The server implementations, each of which must pass all server tests. `threads` is uws on two threads. */
export const SERVERS = [...TRANSPORTS, 'threads'] as const

const SERVING_WORKER = new URL('./serving-worker.ts', import.meta.url)

export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

export const url = (server: Server, path = '/'): string => `http://127.0.0.1:${server.port}${path}`

/** Servers of one implementation and their clients, all closed after each test. */
export class ServerFixture {
  readonly cleanups: (() => unknown)[] = []
  /** Errors of threads that crashed. */
  readonly deaths: Error[] = []
  readonly #listen: () => Promise<Listen>

  constructor(transport: (typeof SERVERS)[number]) {
    if (transport === 'threads') {
      const threads = new RpcWorkerPool({
        threads: 2,
        script: SERVING_WORKER,
        start: () => ({ data: undefined, transfer: [], onExit: () => undefined }),
        onNote: () => undefined,
        onQuestion: async () => undefined,
        onDeath: (error) => this.deaths.push(error),
      })
      this.#listen = async () => threads.listener(true)
      afterAll(() => threads.close())
    } else {
      this.#listen = async () => (await chooseTransport(transport)).listen
    }
    afterEach(async () => {
      for (const cleanup of this.cleanups.splice(0).reverse()) await cleanup()
    })
  }

  async serve(options: Partial<ServerOptions> = {}): Promise<Server> {
    const listen = await this.#listen()
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

  /** Returns a client, over TLS if it trusts a certificate. */
  async connect(server: Server, trusted?: string): Promise<RawSocket> {
    const socket = await RawSocket.connect(server.port, trusted)
    this.cleanups.push(() => socket.destroy())
    return socket
  }
}
