import { LockstepError, messageOf } from '../../base/error.ts'
import type { Origins } from '../../server/origins.ts'
import type { WebSocketHandler, WebSocketPeer } from '../../server/server.ts'
import { answer } from './answer.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import { EventHub } from './event-hub.ts'
import { parseRequest } from './request.ts'
import { failure, type RpcResponse } from './response.ts'
import type { Subscriber } from './subscriber.ts'

/** Requests of one connection that may wait: they are answered one after another, as CometBFT does. */
const MAX_WAITING = 1000

/** Bytes that a waiting request takes beside its own. */
const WAITING_BYTES = 256

/** One connection: a caller of routes, and its subscriptions. */
class Connection {
  readonly subscriber: Subscriber
  readonly #peer: WebSocketPeer
  readonly #context: ConsensusRpcContext
  readonly #caller: RouteCaller
  readonly #waiting: Uint8Array[] = []
  #isRunning = false

  constructor(peer: WebSocketPeer, context: ConsensusRpcContext, hub: EventHub) {
    this.#peer = peer
    this.#context = context
    this.subscriber = hub.open(peer)
    const { signal, account } = peer
    this.#caller = { signal, account, subscriptions: this.subscriber }
  }

  receive(message: Uint8Array): void {
    const { account } = this.#peer
    if (this.#waiting.length >= MAX_WAITING) {
      this.#peer.close(1013, `more than ${MAX_WAITING} requests wait`)
      return
    }
    this.#waiting.push(message)
    account.hold(message.length + WAITING_BYTES)
    if (!account.admits(0)) this.#peer.close(1013, 'too much is held for clients')
    else if (!this.#isRunning) void this.#run()
  }

  /** Gives up the requests that wait, because the client is gone. */
  drop(): void {
    for (const message of this.#waiting.splice(0)) this.#release(message)
  }

  #release(message: Uint8Array): void {
    this.#peer.account.hold(-(message.length + WAITING_BYTES))
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#release(next)
      const turn = this.#peer.account.turn(1)
      if (turn !== undefined) await turn
      const response = await this.#answer(next)
      if (this.#peer.signal.aborted) break
      if (response !== undefined) this.#peer.send(JSON.stringify(response))
    }
    this.#isRunning = false
  }

  async #answer(message: Uint8Array): Promise<RpcResponse | undefined> {
    let request: unknown
    try {
      request = parseRequest(message)
    } catch (cause) {
      return failure(null, new LockstepError('PARSE_ERROR', messageOf(cause)))
    }
    return answer(this.#context, request, this.#caller)
  }
}

/** Serves the routes over WebSocket, subscriptions among them. */
export function consensusWebSocketHandler(
  context: ConsensusRpcContext,
  origins: Origins,
): WebSocketHandler & { stop(): void } {
  const hub = new EventHub(context)
  const connections = new Map<WebSocketPeer, Connection>()
  return {
    acceptsOrigin: (origin) => origins.allows(origin),
    onOpen: (peer) => {
      connections.set(peer, new Connection(peer, context, hub))
    },
    onMessage: (peer, message) => connections.get(peer)?.receive(message),
    onClose: (peer) => {
      const connection = connections.get(peer)
      if (connection === undefined) return
      hub.close(connection.subscriber)
      connection.drop()
      connections.delete(peer)
    },
    stop: () => hub.stop(),
  }
}
