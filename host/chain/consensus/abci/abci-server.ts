import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { LockstepError } from '../../../base/error.ts'
import { Mutex } from '../../../base/mutex.ts'
import type { AbciApplication } from './abci-application.ts'
import { AbciConnection } from './abci-connection.ts'
import { encodeException } from './response-codec.ts'

export interface AbciServerOptions {
  /** Path of the Unix socket. A leftover socket file of a killed process is removed. */
  readonly path: string
  readonly application: AbciApplication
  /**
   * Called if a call failed or a message was unreadable. CometBFT gets an `Exception`, and the connection closes.
   * @param method such as `finalize_block`; `request` if the message was unreadable
   */
  readonly onFailure: (error: LockstepError, method: string) => void
}

/** Unix socket over which CometBFT drives an application. */
export interface AbciServer {
  /** Number of open connections: four while CometBFT runs. */
  readonly connections: number
  /** Passes all calls that start from now on to another application. */
  switchTo(application: AbciApplication): void
  /** Accepts no more calls, answers the running ones, and resolves when all have ended. */
  close(): Promise<void>
}

/** Size limit of a message in bytes. CometBFT's largest block has 100 MiB, plus its commit and evidence. */
const MAX_FRAME = 128 * 1024 * 1024

/** A CometBFT process opens four; during a restart two processes have eight. */
const MAX_CONNECTIONS = 16

/** Starts an ABCI server on a Unix socket with mode 0600. */
export async function serveAbci(options: AbciServerOptions): Promise<AbciServer> {
  const { path, onFailure } = options
  let { application } = options
  const connections = new Map<Socket, AbciConnection>()
  const changes = new Mutex()
  /** Running calls of closed connections. */
  const lost = new Set<Promise<void>>()
  const untilLostEnd = async (): Promise<void> => {
    await Promise.all(lost)
  }
  const server = createServer((socket) => {
    // A lost peer also emits `close`, which is handled below.
    socket.on('error', () => undefined)
    if (connections.size >= MAX_CONNECTIONS) {
      const text = `ABCI: ${MAX_CONNECTIONS} connections are open, which is the limit`
      onFailure(new LockstepError('SERVER_BUSY', text), 'connect')
      socket.end(encodeException(text))
      return
    }
    const shared = { maxFrame: MAX_FRAME, changes, untilLostEnd, onFailure }
    const connection = new AbciConnection({ socket, application: () => application, ...shared })
    connections.set(socket, connection)
    socket.on('close', () => {
      connections.delete(socket)
      const ended = connection.close().finally(() => lost.delete(ended))
      lost.add(ended)
    })
  })
  await rm(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o600)
  return {
    get connections() {
      return connections.size
    },
    switchTo(next) {
      application = next
    },
    async close() {
      server.close()
      await Promise.all([...connections.values()].map((connection) => connection.close()))
      await untilLostEnd()
    },
  }
}
