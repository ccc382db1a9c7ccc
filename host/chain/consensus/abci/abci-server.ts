import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { LockstepError } from '../../../base/error.ts'
import type { AbciApplication } from './abci-application.ts'
import { AbciConnection } from './abci-connection.ts'
import { encodeException } from './response-codec.ts'

export interface AbciServerOptions {
  /** The Unix socket; what lies there of a process that was killed is removed. */
  readonly path: string
  readonly application: AbciApplication
  /**
   * A call failed, or a message could not be read: the other side is told, and its connection ends.
   * @param method such as `finalize_block`; `request` where it could not be read
   */
  readonly onFailure: (error: LockstepError, method: string) => void
}

/** A socket that CometBFT drives an application over. */
export interface AbciServer {
  /** Connections that are open: four while CometBFT runs. */
  readonly connections: number
  /** Hands the calls that begin from now on to another application. */
  switchTo(application: AbciApplication): void
  /** Takes no more calls, answers those in work, and resolves when none is. */
  close(): Promise<void>
}

/** Bytes of a message: CometBFT's largest block has 100 MiB, beside which stand its commit and its evidence. */
const MAX_FRAME = 128 * 1024 * 1024

/** Two processes of CometBFT, one of which ends, have eight. */
const MAX_CONNECTIONS = 16

/** Runs what it is given one after another. */
function queue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

/** Listens on a Unix socket, mode 0600. */
export async function serveAbci(options: AbciServerOptions): Promise<AbciServer> {
  const { path, onFailure } = options
  let { application } = options
  const connections = new Map<Socket, AbciConnection>()
  const inOrder = queue()
  /** Of connections that are gone: calls in work, whose answers nobody hears. */
  const lost = new Set<Promise<void>>()
  const untilLostEnd = async (): Promise<void> => {
    await Promise.all(lost)
  }
  const server = createServer((socket) => {
    // A peer that is gone is seen by the end of the connection.
    socket.on('error', () => undefined)
    if (connections.size >= MAX_CONNECTIONS) {
      const text = `ABCI: ${MAX_CONNECTIONS} connections are open, which is the limit`
      onFailure(new LockstepError('SERVER_BUSY', text), 'connect')
      socket.end(encodeException(text))
      return
    }
    const shared = { maxFrame: MAX_FRAME, inOrder, untilLostEnd, onFailure }
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
