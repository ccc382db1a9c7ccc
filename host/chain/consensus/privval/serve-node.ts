import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { formatSignerAddress, type SignerAddress } from '../../../base/config/signer-address.ts'
import { messageOf } from '../../../base/error.ts'
import { pause } from '../../../base/timer.ts'
import { generateKey } from '../comet/ed25519.ts'
import { socketStream } from './byte-stream.ts'
import { ANSWER_TIMEOUT_MS, PrivvalLink, within } from './privval-link.ts'
import { secureConnection } from './secret-connection.ts'
import { answerNode, type SignerKey } from './signer-answer.ts'

/** Pause before another attempt to connect, ms. A block of CometBFT takes longer. */
const RETRY_MS = 200

/** Milliseconds without a request after which a connection is given up: the node sends pings more often. */
const SILENCE_MS = 3 * ANSWER_TIMEOUT_MS

export interface ServeNodeOptions extends SignerKey {
  readonly address: SignerAddress
  /** Ends the service. */
  readonly signal: AbortSignal
}

async function connect(address: SignerAddress, signal: AbortSignal): Promise<Socket> {
  const socket =
    address.kind === 'unix'
      ? createConnection(address.path)
      : createConnection(address.port, address.host)
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (thrown) {
    socket.destroy()
    throw thrown
  }
}

/** Connects once, and answers requests until the connection ends. */
async function serveOnce(options: ServeNodeOptions, onConnected: () => void): Promise<void> {
  const { address, signal } = options
  const base = socketStream(await connect(address, signal))
  const end = (): void => base.close()
  signal.addEventListener('abort', end, { once: true })
  try {
    const stream =
      address.kind === 'unix'
        ? base
        : await within(ANSWER_TIMEOUT_MS, base, async () => {
            return (await secureConnection(base, generateKey())).stream
          })
    const link = new PrivvalLink(stream)
    onConnected()
    for (;;) {
      const request = await within(SILENCE_MS, base, () => link.receive())
      link.send(await answerNode(options, request))
    }
  } finally {
    signal.removeEventListener('abort', end)
    base.close()
  }
}

/** Serves a node as its signer: connects, answers, and connects again after every failure until the signal aborts. */
export async function serveNode(options: ServeNodeOptions): Promise<void> {
  const { address, signal, logger } = options
  const node = formatSignerAddress(address)
  /** The reason of the last failed attempt, logged once. */
  let failure: string | undefined
  while (!signal.aborted) {
    let isConnected = false
    try {
      await serveOnce(options, () => {
        isConnected = true
        failure = undefined
        logger.info('connected to the node', { node })
      })
    } catch (thrown) {
      if (signal.aborted) return
      const reason = messageOf(thrown)
      if (isConnected) logger.warn('the connection to the node was lost', { node, reason })
      else if (reason !== failure) logger.warn('cannot connect to the node', { node, reason })
      if (!isConnected) failure = reason
    }
    await pause(RETRY_MS, signal)
  }
}
