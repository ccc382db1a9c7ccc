import { rmSync, statSync } from 'node:fs'
import net from 'node:net'
import { LockstepError, messageOf } from '../../base/error.ts'
import { IpcPeer } from './ipc-peer.ts'
import { isJsonText } from './json-splitter.ts'
import type { ServerOptions, WebSocketHandler } from './server.ts'

export interface IpcOptions
  extends Pick<ServerOptions, 'work' | 'maxBodyBytes' | 'maxConnections'> {
  readonly path: string
  readonly handler: WebSocketHandler
}

export interface IpcServer {
  /** Ends all connections and removes the socket. */
  close(): Promise<void>
}

/** Bytes of a path in the system's address of a Unix socket: 108 on Linux, 104 elsewhere, a final zero included. */
const MAX_PATH_BYTES = 103

/** All rights but those of the owner to read and write. */
const NOT_OWNER = 0o177

function invalidPath(path: string, rule: string, cause?: unknown): LockstepError {
  return new LockstepError('CONFIG_INVALID', `evm.ipc_path ${path}: ${rule}`, {
    cause,
    hint: 'name a path below a folder that exists, such as /tmp/lockstep.ipc',
  })
}

/** Resolves with true if a process accepts connections at a socket. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

/** Removes the socket of a killed process. @throws PORT_IN_USE, CONFIG_INVALID if the path is another kind of file */
async function removeLeftSocket(path: string): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw invalidPath(path, 'exists and is not a socket')
  if (await isServed(path)) {
    throw new LockstepError('PORT_IN_USE', `evm.ipc_path ${path}: another process listens there`, {
      hint: 'stop the other process, or choose another path',
    })
  }
  rmSync(path, { force: true })
}

/**
 * Serves a WebSocket's handler at a Unix socket that only this user may open.
 * @throws PORT_IN_USE, CONFIG_INVALID
 */
export async function listenIpc(options: IpcOptions): Promise<IpcServer> {
  const { path, maxConnections, work, handler, maxBodyBytes } = options
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw invalidPath(path, `the path of a socket has at most ${MAX_PATH_BYTES} bytes`)
  }
  await removeLeftSocket(path)
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // The reason is in 'close'.
    socket.on('error', () => undefined)
    if (sockets.size > maxConnections) {
      socket.destroy()
      return
    }
    // An account for each connection, as on loopback.
    const peer = new IpcPeer(socket, work.account('127.0.0.1'), maxBodyBytes)
    socket.on('data', (packet) => {
      for (const text of peer.receive(packet)) {
        if (peer.isClosed) return
        handler.onMessage(peer, text)
        // As in geth: the beginning of the next text is unknown.
        if (!isJsonText(text)) peer.close(1007, 'not JSON')
      }
    })
    socket.on('close', () => {
      peer.detach()
      handler.onClose(peer)
    })
    handler.onOpen(peer)
  })
  await bind(server, path)
  return {
    close: () => {
      for (const socket of sockets) socket.destroy()
      // It also removes the socket.
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function bind(server: net.Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(invalidPath(path, messageOf(cause), cause)))
    server.once('listening', resolve)
    // The socket is created in this call, with these rights from the start.
    const mask = process.umask(NOT_OWNER)
    try {
      server.listen(path)
    } finally {
      process.umask(mask)
    }
  })
}
