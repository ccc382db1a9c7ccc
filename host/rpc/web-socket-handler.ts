import type { WebSocketHandler, WebSocketPeer } from '../server/server.ts'
import type { Answer, Dispatcher } from './dispatcher.ts'
import type { Caller } from './method.ts'
import type { Origins } from './origins.ts'
import type { Subscriber, SubscriptionHub } from './subscription-hub.ts'

export interface RpcWebSocketOptions {
  readonly dispatcher: Dispatcher
  readonly subscriptions: SubscriptionHub
  readonly origins: Origins
}

/** One connection: caller of methods and taker of notifications. */
class Connection implements Caller, Subscriber {
  readonly transport = 'ws'
  readonly #peer: WebSocketPeer

  constructor(peer: WebSocketPeer) {
    this.#peer = peer
  }

  get signal(): AbortSignal {
    return this.#peer.signal
  }

  get subscriber(): Subscriber {
    return this
  }

  notify(text: string): void {
    this.#peer.send(text)
  }
}

/** Serves JSON-RPC and subscriptions over WebSocket. */
export function rpcWebSocketHandler(options: RpcWebSocketOptions): WebSocketHandler {
  const { dispatcher, subscriptions, origins } = options
  const connections = new Map<WebSocketPeer, Connection>()
  return {
    acceptsOrigin: (origin) => origins.allows(origin),
    onOpen: (peer) => {
      connections.set(peer, new Connection(peer))
    },
    onMessage: (peer, message) => {
      const connection = connections.get(peer)
      if (connection === undefined) return
      const answer = dispatcher.answer(message, connection)
      if (answer instanceof Promise) void answer.then((late) => reply(peer, late))
      else void reply(peer, answer)
    },
    onClose: (peer) => {
      const connection = connections.get(peer)
      if (connection !== undefined) subscriptions.drop(connection)
      connections.delete(peer)
    },
  }
}

/** A message is one frame, so a streamed answer is put together first. */
async function reply(peer: WebSocketPeer, answer: Answer): Promise<void> {
  if (answer === undefined) return
  if (typeof answer === 'string') {
    peer.send(answer)
    return
  }
  try {
    const parts: Uint8Array[] = []
    for await (const part of answer) parts.push(part)
    peer.send(Buffer.concat(parts).toString())
  } catch {
    peer.close(1011, 'the answer could not be completed')
  }
}
