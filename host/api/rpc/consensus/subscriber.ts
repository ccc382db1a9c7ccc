import { messageOf } from '../../../base/error.ts'
import type { EventQuery } from '../../../chain/consensus/events/event-query.ts'
import type { WebSocketPeer } from '../../server/server.ts'
import type { Subscriptions } from './context.ts'
import type { BlockEvents, PublishedEvent } from './published-events.ts'
import type { RpcId } from './response.ts'
import {
  alreadySubscribed,
  notSubscribed,
  parseSubscription,
  tooManySubscriptions,
} from './subscription-query.ts'
import type { SubscriptionSlots } from './subscription-slots.ts'

/** Blocks that a client may be behind before its subscriptions are cancelled. */
const MAX_BLOCKS_BEHIND = 100

/** Maximum bytes of events sent before waiting for the client to read. */
const MAX_UNREAD_BYTES = 1024 * 1024

const SERVER_ERROR = -32000

/** The source of a subscriber's events. */
export interface EventSource {
  /** Height of the latest block whose events are available. */
  readonly height: number
  /** Returns the events of a block. @throws if it is no longer available. */
  events(height: number): BlockEvents
}

interface Subscription {
  readonly query: EventQuery
  readonly id: RpcId
  /** The height above which blocks are reported. */
  readonly after: number
}

/**
 * The subscriptions of one connection. Queues heights instead of texts: events are encoded when the client has read
 * earlier ones and its quota allows it.
 */
export class EventSubscription implements Subscriptions {
  readonly #peer: WebSocketPeer
  readonly #source: EventSource
  readonly #slots: SubscriptionSlots
  readonly #subscriptions = new Map<string, Subscription>()
  #leave: (() => void) | undefined
  /** The height whose events are sent next. */
  #next = 0
  #isRunning = false

  constructor(peer: WebSocketPeer, source: EventSource, slots: SubscriptionSlots) {
    this.#peer = peer
    this.#source = source
    this.#slots = slots
  }

  /** @throws LIMIT_EXCEEDED, QUERY_INVALID with CometBFT's messages. */
  subscribe(text: string, id: RpcId): void {
    const { perClient } = this.#slots.limits
    if (this.#subscriptions.size >= perClient) {
      throw tooManySubscriptions(perClient)
    }
    const query = parseSubscription(text)
    if (this.#subscriptions.has(query.key)) throw alreadySubscribed()
    this.#leave ??= this.#slots.enter()
    if (this.#subscriptions.size === 0) this.#next = this.#source.height + 1
    this.#subscriptions.set(query.key, { query, id, after: this.#source.height })
  }

  /** @throws NOT_FOUND */
  unsubscribe(text: string): void {
    if (!this.#subscriptions.delete(parseSubscription(text).key)) throw notSubscribed()
    this.#leaveIfIdle()
  }

  /** @throws NOT_FOUND if there are no subscriptions. */
  unsubscribeAll(): void {
    if (this.#subscriptions.size === 0) throw notSubscribed()
    this.drop()
  }

  /** Ends all subscriptions without notifying the client. */
  drop(): void {
    this.#subscriptions.clear()
    this.#leaveIfIdle()
  }

  /** Called when the blocks above a height are removed: the blocks that replace them are reported as well. */
  cut(kept: number): void {
    this.#next = Math.min(this.#next, kept + 1)
    for (const [key, subscription] of this.#subscriptions) {
      const after = Math.min(subscription.after, kept)
      this.#subscriptions.set(key, { ...subscription, after })
    }
  }

  /** Called when the source has the events of another block. */
  wake(): void {
    if (this.#subscriptions.size === 0) return
    if (this.#source.height - this.#next >= MAX_BLOCKS_BEHIND) {
      this.#cancel('client is not pulling messages fast enough')
      return
    }
    if (!this.#isRunning) void this.#run()
  }

  #leaveIfIdle(): void {
    if (this.#subscriptions.size > 0) return
    this.#leave?.()
    this.#leave = undefined
  }

  /** Ends all subscriptions and notifies the client of the reason. */
  #cancel(reason: string): void {
    const data = `subscription was canceled (reason: ${reason})`
    for (const { id } of this.#subscriptions.values()) {
      const error = { code: SERVER_ERROR, message: 'Server error', data }
      this.#peer.send(JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    this.drop()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#subscriptions.size > 0 && this.#next <= this.#source.height) {
        const height = this.#next++
        await this.#sendEvents(this.#source.events(height))
      }
    } catch (thrown) {
      this.#cancel(messageOf(thrown))
    } finally {
      this.#isRunning = false
    }
  }

  async #sendEvents(events: BlockEvents): Promise<void> {
    const { account, signal } = this.#peer
    let unread = 0
    for (let i = 0; i < events.count; i++) {
      const turn = account.yield()
      if (turn !== undefined) await turn
      if (signal.aborted || this.#subscriptions.size === 0) return
      const event = events.at(i)
      if (event !== undefined) unread += await this.#send(event, events.height)
      if (unread < MAX_UNREAD_BYTES) continue
      await this.#peer.whenRead()
      unread = 0
    }
    if (unread > 0) await this.#peer.whenRead()
  }

  /** Sends an event to the subscriptions that it matches; returns the number of bytes sent. */
  async #send(event: PublishedEvent, height: number): Promise<number> {
    let sent = 0
    for (const { query, id, after } of [...this.#subscriptions.values()]) {
      if (height <= after || !query.matches(event.tags)) continue
      const data = await event.data()
      const tags = JSON.stringify(Object.fromEntries(event.tags))
      const text =
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},` +
        `"result":{"query":${JSON.stringify(query.text)},"data":${data},"events":${tags}}}`
      if (!this.#subscriptions.has(query.key)) continue
      this.#peer.send(text)
      sent += text.length
    }
    return sent
  }
}
