import type { EventQuery } from '../../../../chain/consensus/events/event-query.ts'
import { MAX_BACKLOG_BYTES, type WebSocketPeer } from '../../../server/server.ts'
import type { Subscriptions } from '../context.ts'
import type { ConsensusRpcError, RpcId } from '../response.ts'
import {
  alreadySubscribed,
  notSubscribed,
  parseSubscription,
  tooManySubscriptions,
} from '../subscription-query.ts'
import type { SubscriptionSlots } from '../subscription-slots.ts'

/** Maximum bytes of events sent before waiting for the client to read. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** Bytes per fragment of an event. */
const PIECE_BYTES = 256 * 1024

/** Manages the queries that subscribers follow. */
export interface EventTopics {
  join(key: string, text: string, subscriber: EventSubscriber): Promise<void>
  leave(key: string, subscriber: EventSubscriber): void
}

interface Subscription {
  readonly query: EventQuery
  readonly id: RpcId
}

/** The subscriptions of one connection, and the events queued until it has read earlier ones. */
export class EventSubscriber implements Subscriptions {
  readonly #peer: WebSocketPeer
  readonly #topics: EventTopics
  readonly #slots: SubscriptionSlots
  readonly #subscriptions = new Map<string, Subscription>()
  #waiting: string[] = []
  #waitingBytes = 0
  #isRunning = false
  #leave: (() => void) | undefined

  constructor(peer: WebSocketPeer, topics: EventTopics, slots: SubscriptionSlots) {
    this.#peer = peer
    this.#topics = topics
    this.#slots = slots
  }

  /** @throws LIMIT_EXCEEDED, QUERY_INVALID with CometBFT's messages, and CometBFT's own errors. */
  async subscribe(text: string, id: RpcId): Promise<void> {
    const { perClient } = this.#slots.limits
    if (this.#subscriptions.size >= perClient) {
      throw tooManySubscriptions(perClient)
    }
    const query = parseSubscription(text)
    const { key } = query
    if (this.#subscriptions.has(key)) throw alreadySubscribed()
    this.#leave ??= this.#slots.enter()
    this.#subscriptions.set(key, { query, id })
    try {
      await this.#topics.join(key, text, this)
    } catch (thrown) {
      this.#end(key)
      throw thrown
    }
  }

  /** @throws NOT_FOUND */
  unsubscribe(text: string): void {
    const { key } = parseSubscription(text)
    if (!this.#subscriptions.has(key)) throw notSubscribed()
    this.#end(key)
  }

  /** @throws NOT_FOUND if there are no subscriptions. */
  unsubscribeAll(): void {
    if (this.#subscriptions.size === 0) throw notSubscribed()
    this.drop()
  }

  /** Ends all subscriptions without notifying the client. */
  drop(): void {
    for (const key of [...this.#subscriptions.keys()]) this.#end(key)
    this.#forgetWaiting()
  }

  /** Queues an event of a query: its JSON after the query itself. */
  push(key: string, data: string): void {
    const subscription = this.#subscriptions.get(key)
    if (subscription === undefined || this.#peer.signal.aborted) return
    if (this.#waitingBytes + data.length > MAX_BACKLOG_BYTES && this.#waiting.length > 0) {
      this.#cancelAll()
      return
    }
    const { query, id } = subscription
    const text =
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},` +
      `"result":{"query":${JSON.stringify(query.text)},${data}`
    this.#hold(text.length)
    this.#waiting.push(text)
    if (this.#isRunning) return
    this.#isRunning = true
    // Deferred until the response that confirms the subscription has been sent.
    setImmediate(() => void this.#run())
  }

  /** Called when CometBFT has ended a subscription. */
  cancel(key: string, error: ConsensusRpcError): void {
    const subscription = this.#subscriptions.get(key)
    if (subscription === undefined) return
    this.#end(key)
    this.#peer.send(JSON.stringify({ jsonrpc: '2.0', id: subscription.id, error }))
  }

  #end(key: string): void {
    this.#subscriptions.delete(key)
    this.#topics.leave(key, this)
    if (this.#subscriptions.size > 0) return
    this.#leave?.()
    this.#leave = undefined
  }

  #hold(bytes: number): void {
    this.#waitingBytes += bytes
    this.#peer.account.reserve(bytes)
  }

  #forgetWaiting(): void {
    this.#waiting = []
    this.#hold(-this.#waitingBytes)
  }

  /** Ends all subscriptions of a client that reads too slowly, and notifies it. */
  #cancelAll(): void {
    this.#forgetWaiting()
    const data = 'subscription was canceled (reason: client is not pulling messages fast enough)'
    const error = { code: -32000, message: 'Server error', data }
    for (const key of [...this.#subscriptions.keys()]) this.cancel(key, error)
  }

  async #run(): Promise<void> {
    const { account } = this.#peer
    let unread = 0
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // From here on the connection counts the bytes.
      this.#hold(-next.length)
      const turn = account.yield()
      if (turn !== undefined) await turn
      if (this.#peer.signal.aborted) break
      unread += next.length
      if (next.length > MAX_UNREAD_BYTES && this.#peer.canStream) {
        await this.#peer.stream(piecesOf(next))
      } else this.#peer.send(next)
      if (unread < MAX_UNREAD_BYTES) continue
      await this.#peer.whenRead()
      unread = 0
    }
    this.#isRunning = false
  }
}

async function* piecesOf(text: string) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield { borrowed: bytes.subarray(at, at + PIECE_BYTES) }
  }
}
