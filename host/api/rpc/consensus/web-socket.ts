import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import type { Origins } from '../../server/origins.ts'
import {
  MAX_BACKLOG_BYTES,
  type WebSocketHandler,
  type WebSocketPeer,
} from '../../server/server.ts'
import { answer } from './answer.ts'
import type { RouteCaller, SubscriptionSource, Subscriptions } from './context.ts'
import { parseRequest } from './request.ts'
import { failure, type RpcId, type RpcResponse, writeResponse } from './response.ts'
import type { ServedRoutes } from './route.ts'

/** Maximum queued requests of one connection. They are answered one after another, as in CometBFT. */
const MAX_WAITING = 1000

/** Overhead of a queued request in bytes. */
const WAITING_BYTES = 256

/** One connection: calls routes and has subscriptions. */
class Connection<Context> {
  readonly subscriptions: Subscriptions
  readonly #peer: WebSocketPeer
  readonly #served: ServedRoutes<Context>
  readonly #caller: RouteCaller
  readonly #waiting: Uint8Array[] = []
  #isRunning = false

  constructor(peer: WebSocketPeer, served: ServedRoutes<Context>, subscriptions: Subscriptions) {
    this.#peer = peer
    this.#served = served
    this.subscriptions = subscriptions
    const { signal, account } = peer
    this.#caller = { signal, account, subscriptions }
  }

  receive(message: Uint8Array): void {
    const { account } = this.#peer
    if (this.#waiting.length >= MAX_WAITING) {
      this.#peer.close(1013, `more than ${MAX_WAITING} requests are queued`)
      return
    }
    this.#waiting.push(message)
    account.reserve(message.length + WAITING_BYTES)
    if (!account.admits(0)) this.#peer.close(1013, 'client memory limit reached')
    else if (!this.#isRunning) void this.#run()
  }

  /** Drops the queued requests, because the client has disconnected. */
  drop(): void {
    for (const message of this.#waiting.splice(0)) this.#release(message)
  }

  #release(message: Uint8Array): void {
    this.#peer.account.reserve(-(message.length + WAITING_BYTES))
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#release(next)
      const turn = this.#peer.account.yield(1)
      if (turn !== undefined) await turn
      const response = await this.#answer(next)
      if (this.#peer.signal.aborted) break
      if (response !== undefined) await this.#reply(response)
    }
    this.#isRunning = false
  }

  /** Sends a response; a streamed one in fragments, as fast as the client reads. */
  async #reply(response: RpcResponse): Promise<void> {
    const peer = this.#peer
    const written = writeResponse(response)
    if (typeof written !== 'string' && peer.canStream) {
      await peer.stream(written)
      return
    }
    peer.send(typeof written === 'string' ? written : await wholeText(written, response.id))
    // A client that does not read receives no further service.
    await peer.whenRead()
  }

  async #answer(message: Uint8Array): Promise<RpcResponse | undefined> {
    let request: unknown
    try {
      request = parseRequest(message)
    } catch (cause) {
      return failure(null, new LockstepError('PARSE_ERROR', messageOf(cause)))
    }
    return answer(this.#served, request, this.#caller)
  }
}

/** Maximum message if fragments are unsupported: half of a client's maximum backlog. */
const MAX_MESSAGE_BYTES = MAX_BACKLOG_BYTES / 2

/** Returns a streamed response as one string, or an error response if it is too long. */
async function wholeText(pieces: AsyncIterable<BorrowedView>, id: RpcId): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const { borrowed } of pieces) {
      length += borrowed.length
      if (length > MAX_MESSAGE_BYTES) {
        throw new LockstepError(
          'RESPONSE_TOO_LARGE',
          `a WebSocket message has at most ${MAX_MESSAGE_BYTES} bytes here: use HTTP`,
        )
      }
      parts.push(Uint8Array.from(borrowed))
    }
  } catch (thrown) {
    return JSON.stringify(failure(id, thrown))
  }
  return Buffer.concat(parts).toString()
}

/** Serves the routes, including subscriptions, over WebSocket. */
export function consensusWebSocketHandler<Context>(
  served: ServedRoutes<Context>,
  source: SubscriptionSource,
  origins: Origins,
): WebSocketHandler {
  const connections = new Map<WebSocketPeer, Connection<Context>>()
  return {
    origins,
    onOpen: (peer) => {
      connections.set(peer, new Connection(peer, served, source.open(peer)))
    },
    onMessage: (peer, message) => connections.get(peer)?.receive(message),
    onClose: (peer) => {
      const connection = connections.get(peer)
      if (connection === undefined) return
      source.close(connection.subscriptions)
      connection.drop()
      connections.delete(peer)
    },
  }
}
