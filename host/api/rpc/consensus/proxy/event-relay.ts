import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { LockstepError, messageOf } from '../../../../base/error.ts'
import { startTimer, stopTimer } from '../../../../base/timer.ts'
import type { WebSocketPeer } from '../../../server/server.ts'
import type { SubscriptionSource } from '../context.ts'
import { type ConsensusRpcError, RelayedError, UNREACHABLE } from '../response.ts'
import type { SubscriptionSlots } from '../subscription-slots.ts'
import { readEvent } from './event-message.ts'
import { EventSubscriber } from './event-subscriber.ts'
import { CometTopic } from './topic.ts'

/** Maximum event size: CometBFT's largest block, 100 MiB, in base64. */
const MAX_EVENT_BYTES = 192 * 1024 * 1024

/** Connection timeout in milliseconds. */
const HANDSHAKE_MS = 10_000

/** Subscription timeout in milliseconds, the same as in CometBFT. */
const SUBSCRIBE_MS = 5_000

export interface EventRelayOptions {
  /** Path of the Unix socket of CometBFT's RPC. */
  readonly socketPath: string
  readonly slots: SubscriptionSlots
}

function unreachable(reason: string): ConsensusRpcError {
  const data = `CometBFT does not answer (${reason}): try again shortly`
  return { code: UNREACHABLE, message: 'Server error', data }
}

/** CometBFT's error when it shuts down. */
const EXITED: ConsensusRpcError = {
  code: UNREACHABLE,
  message: 'Server error',
  data: 'subscription was canceled (reason: CometBFT exited)',
}

/**
 * Relays CometBFT's events to the subscribers of this server over one shared WebSocket. CometBFT identifies
 * subscribers by their remote address, which is the same for all connections of a Unix socket. With two connections
 * the same query would be rejected, and closing one would end the subscriptions of both. The connection stays open
 * without subscribers, because broadcast_tx_commit waits with a subscription of the same identity.
 */
export class EventRelay implements SubscriptionSource {
  readonly #options: EventRelayOptions
  readonly #topics = new Map<string, CometTopic>()
  readonly #byId = new Map<number, CometTopic>()
  #socket: Promise<WebSocket> | undefined
  #nextId = 1
  #isStopped = false

  constructor(options: EventRelayOptions) {
    this.#options = options
  }

  open(peer: WebSocketPeer): EventSubscriber {
    return new EventSubscriber(peer, this, this.#options.slots)
  }

  close(subscriber: EventSubscriber): void {
    subscriber.drop()
  }

  /** Adds a subscriber to a query, and subscribes at CometBFT if it is the first. @throws with CometBFT's message */
  async join(key: string, text: string, subscriber: EventSubscriber): Promise<void> {
    const topic = this.#topics.get(key) ?? this.#open(key, text)
    // Added before CometBFT answers, because its first event may arrive with the response.
    topic.subscribers.add(subscriber)
    await topic.begun
  }

  leave(key: string, subscriber: EventSubscriber): void {
    const topic = this.#topics.get(key)
    if (topic === undefined) return
    topic.subscribers.delete(subscriber)
    if (topic.subscribers.size > 0) return
    this.#forget(topic)
    topic.fail(new RelayedError(EXITED))
    this.#unsubscribe(topic)
  }

  /** Ends all subscriptions when the node stops. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const socket = await this.#socket?.catch(() => undefined)
    socket?.terminate()
  }

  #open(key: string, text: string): CometTopic {
    const topic = new CometTopic(key, text, this.#nextId++)
    this.#topics.set(key, topic)
    this.#byId.set(topic.id, topic)
    void this.#send('subscribe', topic).catch((thrown) => {
      this.#end(topic, unreachable(messageOf(thrown)))
    })
    const late = startTimer(() => {
      this.#end(topic, unreachable(`no answer within ${SUBSCRIBE_MS / 1000} s`))
      this.#unsubscribe(topic)
    }, SUBSCRIBE_MS)
    topic.begun.then(
      () => stopTimer(late),
      () => stopTimer(late),
    )
    return topic
  }

  #unsubscribe(topic: CometTopic): void {
    // If this fails, the connection is closed and the subscription has ended with it.
    void this.#send('unsubscribe', topic).catch(() => undefined)
  }

  #forget(topic: CometTopic): void {
    if (this.#topics.get(topic.key) === topic) this.#topics.delete(topic.key)
    this.#byId.delete(topic.id)
  }

  #end(topic: CometTopic, error: ConsensusRpcError): void {
    this.#forget(topic)
    topic.fail(new RelayedError(error))
    if (!topic.hasBegun) return
    for (const subscriber of topic.subscribers) subscriber.cancel(topic.key, error)
  }

  async #send(method: 'subscribe' | 'unsubscribe', topic: CometTopic): Promise<void> {
    const socket = await this.#connected()
    const id = method === 'subscribe' ? topic.id : this.#nextId++
    const params = { query: topic.asked }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  #connected(): Promise<WebSocket> {
    this.#socket ??= this.#connect()
    return this.#socket
  }

  #connect(): Promise<WebSocket> {
    if (this.#isStopped) throw new LockstepError('INTERRUPTED', 'the node stops')
    const socket = new WebSocket('ws://localhost/websocket', {
      // A URL could not contain a socket path with spaces or colons.
      createConnection: () => connect(this.#options.socketPath),
      perMessageDeflate: false,
      maxPayload: MAX_EVENT_BYTES,
      handshakeTimeout: HANDSHAKE_MS,
    })
    return new Promise((resolve, reject) => {
      let end: ConsensusRpcError = unreachable('no connection')
      socket.on('open', () => {
        end = EXITED
        resolve(socket)
      })
      socket.on('message', (message) => this.#receive(message as Buffer))
      // Its message contains the socket path, which must not be exposed.
      socket.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (end !== EXITED) end = unreachable(code ?? 'no connection')
      })
      socket.on('close', () => {
        this.#socket = undefined
        for (const topic of [...this.#byId.values()]) this.#end(topic, end)
        reject(new LockstepError('NODE_UNREACHABLE', end.data))
      })
    })
  }

  #receive(message: Buffer): void {
    const event = readEvent(message)
    const topic = event === undefined ? undefined : this.#byId.get(event.id)
    if (event === undefined || topic === undefined) return
    if ('error' in event) this.#end(topic, event.error)
    else if (event.data === undefined) topic.begin()
    else for (const subscriber of topic.subscribers) subscriber.push(topic.key, event.data)
  }
}
