import { once } from 'node:events'
import { chmod, rm, stat } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { formatSignerAddress, type SignerAddress } from '../../../base/config/signer-address.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import type { Logger } from '../../../base/log/logger.ts'
import { generateKey } from '../comet/ed25519.ts'
import { type ByteStream, socketStream } from './byte-stream.ts'
import { ANSWER_TIMEOUT_MS, PrivvalLink, within } from './privval-link.ts'
import { secureConnection } from './secret-connection.ts'

/** Connections in their handshake, or open: a signer has one, and a second one while it reconnects. */
const MAX_CONNECTIONS = 4

/** Most lines per second about refused connections: a flood of strangers must not fill the log. */
const MAX_LINES = 10

/** Logs refused connections, with the number of those that were left out before. */
class RefusalLog {
  readonly #logger: Logger
  #second = Number.NEGATIVE_INFINITY
  #lines = 0
  #omitted = 0

  constructor(logger: Logger) {
    this.#logger = logger
  }

  note(peer: string, reason: string): void {
    const now = performance.now()
    if (now - this.#second >= 1000) {
      this.#second = now
      this.#lines = 0
    }
    if (this.#lines++ >= MAX_LINES) {
      this.#omitted++
      return
    }
    const omitted = this.#omitted === 0 ? undefined : this.#omitted
    this.#logger.warn('refused a remote signer', { peer, reason, omitted })
    this.#omitted = 0
  }
}

export interface SignerListenerOptions {
  readonly address: SignerAddress
  readonly logger: Logger
  /** Called with each connection after its handshake. If it rejects, the connection is closed, and the reason logged. */
  readonly onLink: (link: PrivvalLink, peer: string) => Promise<void>
}

export interface SignerListener {
  /** With the actual port, if the configured one was 0. */
  readonly address: SignerAddress
  close(): Promise<void>
}

/** Removes the socket file of a killed process. @throws CONFIG_INVALID if the path is another kind of file */
async function removeLeftSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return
  if (found.isSocket()) return rm(path, { force: true })
  throw new LockstepError(
    'CONFIG_INVALID',
    `priv-validator-laddr names ${path}, which exists and is not a socket`,
    { hint: 'name a path that does not exist' },
  )
}

function listenError(address: SignerAddress, cause: unknown): LockstepError {
  const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
  return new LockstepError(
    isTaken ? 'PORT_IN_USE' : 'CONFIG_INVALID',
    `cannot listen for the remote signer at ${formatSignerAddress(address)}: ${messageOf(cause)}`,
    { cause, ...(!isTaken && { hint: 'correct priv-validator-laddr in config.toml' }) },
  )
}

/**
 * Listens for signers: over TCP with a SecretConnection, over a Unix socket (mode 0600) in the clear.
 * @throws PORT_IN_USE, CONFIG_INVALID
 */
export async function listenForSigners(options: SignerListenerOptions): Promise<SignerListener> {
  const { address, logger, onLink } = options
  // As in CometBFT, a new one at each start: the signer trusts the address, and the node the validator's signatures.
  const key = generateKey()
  const sockets = new Set<Socket>()
  const refusals = new RefusalLog(logger)
  const secure = async (stream: ByteStream): Promise<ByteStream> =>
    address.kind === 'unix' ? stream : (await secureConnection(stream, key)).stream
  const take = async (socket: Socket): Promise<void> => {
    const peer = address.kind === 'unix' ? address.path : `${socket.remoteAddress}`
    const base = socketStream(socket)
    try {
      const stream = await within(ANSWER_TIMEOUT_MS, base, () => secure(base))
      await onLink(new PrivvalLink(stream), peer)
    } catch (thrown) {
      base.close()
      refusals.note(peer, messageOf(thrown))
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    if (sockets.size > MAX_CONNECTIONS) socket.destroy()
    else void take(socket)
  })
  try {
    if (address.kind === 'unix') {
      await removeLeftSocket(address.path)
      server.listen(address.path)
    } else {
      server.listen(address.port, address.host)
    }
    await once(server, 'listening')
    if (address.kind === 'unix') await chmod(address.path, 0o600)
  } catch (cause) {
    throw cause instanceof LockstepError ? cause : listenError(address, cause)
  }
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return {
    address: address.kind === 'tcp' ? { ...address, port } : address,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
