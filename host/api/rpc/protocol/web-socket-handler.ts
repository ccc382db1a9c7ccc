import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError } from '../../../base/error.ts'
import { Fifo } from '../../../base/fifo.ts'
import type { Origins } from '../../server/origins.ts'
import {
  MAX_BACKLOG_BYTES,
  MAX_WAITING_MESSAGES,
  WAITING_MESSAGE_BYTES,
  type WebSocketHandler,
  type WebSocketPeer,
} from '../../server/server.ts'
import type { ClientQuota } from '../../server/work-scheduler.ts'
import type { Caller } from '../call/rpc-call.ts'
import type { NotificationSink, SubscriptionHub } from '../subscription/subscription-hub.ts'
import type { DispatchedAnswer, Dispatcher } from './dispatcher.ts'
import { ReadPace } from './read-pace.ts'

export interface RpcWebSocketOptions {
  readonly dispatcher: Dispatcher
  readonly subscriptions: SubscriptionHub
  readonly origins: Origins
}

/** Concurrent requests of one connection; further ones are queued in order. */
const CONCURRENCY = 32

/** One connection: calls methods and receives notifications. */
class Connection implements Caller, NotificationSink {
  readonly transport = 'ws'
  readonly #peer: WebSocketPeer
  readonly #dispatcher: Dispatcher
  readonly #waiting = new Fifo<Uint8Array>()
  readonly #pace: ReadPace
  #running = 0

  constructor(peer: WebSocketPeer, dispatcher: Dispatcher) {
    this.#peer = peer
    this.#dispatcher = dispatcher
    this.#pace = new ReadPace(peer, () => this.#beginNext())
  }

  get signal(): AbortSignal {
    return this.#peer.signal
  }

  get subscriber(): NotificationSink {
    return this
  }

  get account(): ClientQuota {
    return this.#peer.account
  }

  notify(text: string): void {
    this.#peer.send(text)
  }

  async send(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    if (this.#peer.canStream) {
      await this.#peer.stream(pieces)
      return
    }
    const parts: Uint8Array[] = []
    let size = 0
    for await (const { borrowed } of pieces) {
      size += borrowed.length
      if (size > MAX_MESSAGE_BYTES) throw messageTooLarge()
      parts.push(new Uint8Array(borrowed))
    }
    this.#peer.send(Buffer.concat(parts).toString())
    await this.#peer.whenRead()
  }

  giveUp(): void {
    this.#peer.close(1013, 'client too slow')
  }

  /**
   * Answers or queues a message. The library reads all that has arrived before other code runs, so a queued message
   * must cost no more than its bytes.
   */
  receive(message: Uint8Array): void {
    if (this.#mayBegin && this.#waiting.length === 0) {
      this.#begin(message)
      return
    }
    if (this.#waiting.length >= MAX_WAITING_MESSAGES) {
      this.#peer.close(1013, `more than ${MAX_WAITING_MESSAGES} requests are queued`)
      return
    }
    this.#waiting.push(message)
    this.account.reserve(message.length + WAITING_MESSAGE_BYTES)
    if (!this.account.admits(0)) this.#peer.close(1013, 'client memory limit reached')
  }

  /** Drops the queued messages, because the client has disconnected. */
  drop(): void {
    while (this.#take() !== undefined);
  }

  /** Also false while the client has unread responses. */
  get #mayBegin(): boolean {
    return this.#running < CONCURRENCY && !this.#pace.isBehind
  }

  #begin(message: Uint8Array): void {
    const answer = this.#dispatcher.answer(message, this)
    if (answer instanceof Promise) {
      void this.#replyLater(message, answer)
      return
    }
    void reply(this.#peer, answer)
    this.#pace.count(answer)
  }

  async #replyLater(message: Uint8Array, answer: Promise<DispatchedAnswer>): Promise<void> {
    const bytes = message.length + WAITING_MESSAGE_BYTES
    this.account.reserve(bytes)
    this.#running++
    try {
      const late = await answer
      await reply(this.#peer, late)
      this.#pace.count(late)
    } finally {
      this.#running--
      this.account.reserve(-bytes)
      this.#beginNext()
    }
  }

  #beginNext(): void {
    while (this.#mayBegin) {
      const message = this.#take()
      if (message === undefined) return
      this.#begin(message)
    }
  }

  #take(): Uint8Array | undefined {
    const message = this.#waiting.shift()
    if (message !== undefined) this.account.reserve(-(message.length + WAITING_MESSAGE_BYTES))
    return message
  }
}

/** Serves JSON-RPC and subscriptions over WebSocket. */
export function rpcWebSocketHandler(options: RpcWebSocketOptions): WebSocketHandler {
  const { dispatcher, subscriptions, origins } = options
  const connections = new Map<WebSocketPeer, Connection>()
  return {
    origins,
    onOpen: (peer) => {
      connections.set(peer, new Connection(peer, dispatcher))
    },
    onMessage: (peer, message) => {
      connections.get(peer)?.receive(message)
    },
    onClose: (peer) => {
      const connection = connections.get(peer)
      if (connection !== undefined) {
        subscriptions.drop(connection)
        connection.drop()
      }
      connections.delete(peer)
    },
  }
}

/** Sends a response; a streamed one in fragments, as fast as the client reads. */
export async function reply(peer: WebSocketPeer, answer: DispatchedAnswer): Promise<void> {
  if (answer === undefined) return
  if (typeof answer === 'string') peer.send(answer)
  else if (peer.signal.aborted) answer.leave()
  else if (peer.canStream) await peer.stream(answer)
  else peer.send(await answer.text(MAX_MESSAGE_BYTES, messageTooLarge()))
}

/** Maximum message without streaming: half of a client's maximum backlog. */
const MAX_MESSAGE_BYTES = MAX_BACKLOG_BYTES / 2

function messageTooLarge(): LockstepError {
  return new LockstepError(
    'RESPONSE_TOO_LARGE',
    `response too large: a WebSocket message holds at most ${MAX_MESSAGE_BYTES} bytes here; ` +
      'use HTTP, which streams it',
    { data: { limit: MAX_MESSAGE_BYTES, transport: 'ws' } },
  )
}
