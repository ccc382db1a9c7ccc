import { LockstepError } from '../base/error.ts'
import { MAX_BACKLOG_BYTES, type WebSocketHandler, type WebSocketPeer } from '../server/server.ts'
import type { ClientAccount } from '../server/work-scheduler.ts'
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

  get account(): ClientAccount {
    return this.#peer.account
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
      if (answer instanceof Promise) void replyLater(peer, message.length, answer)
      else void reply(peer, answer)
    },
    onClose: (peer) => {
      const connection = connections.get(peer)
      if (connection !== undefined) subscriptions.drop(connection)
      connections.delete(peer)
    },
  }
}

/** Beside its bytes, what a request takes that waits. */
const WAITING_BYTES = 512

/** A request that waits is counted: there is no end to those that a client may send. */
async function replyLater(
  peer: WebSocketPeer,
  messageBytes: number,
  answer: Promise<Answer>,
): Promise<void> {
  const { account } = peer
  const bytes = messageBytes + WAITING_BYTES
  account.hold(bytes)
  if (!account.admits(0)) peer.close(1013, 'too much is held for clients')
  try {
    await reply(peer, await answer)
  } finally {
    account.hold(-bytes)
  }
}

/** A longer message could not be sent before the backlog that a client may have. */
const MAX_MESSAGE_BYTES = MAX_BACKLOG_BYTES / 2

/** A message is sent whole, so that notifications can go between two: what is streamed has a limit here. */
async function reply(peer: WebSocketPeer, answer: Answer): Promise<void> {
  if (answer === undefined) return
  peer.send(
    typeof answer === 'string' ? answer : await answer.text(MAX_MESSAGE_BYTES, messageTooLarge()),
  )
}

function messageTooLarge(): LockstepError {
  return new LockstepError(
    'RESPONSE_TOO_LARGE',
    `response too large: a WebSocket message holds at most ${MAX_MESSAGE_BYTES} bytes; ` +
      'ask over HTTP, where it is streamed',
    { data: { limit: MAX_MESSAGE_BYTES, transport: 'ws' } },
  )
}
