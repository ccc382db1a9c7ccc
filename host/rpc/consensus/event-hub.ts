import type { WebSocketPeer } from '../../server/server.ts'
import type { ExecutedBlock } from '../../store/codec/block-record.ts'
import type { ConsensusRpcContext, SubscriptionSource } from './context.ts'
import { BlockEvents } from './published-events.ts'
import { type EventSource, Subscriber } from './subscriber.ts'

/** Blocks whose events are kept for those who follow the chain: all of them ask for the newest. */
const KEPT_BLOCKS = 2

/** Tells the subscribers of each block, and makes its events once for all of them. */
export class EventHub implements EventSource, SubscriptionSource {
  readonly #context: ConsensusRpcContext
  readonly #subscribers = new Set<Subscriber>()
  readonly #kept = new Map<number, BlockEvents>()
  readonly #stop: () => void
  #newest: ExecutedBlock | undefined

  constructor(context: ConsensusRpcContext) {
    this.#context = context
    this.#stop = context.heads.onBlock((executed) => {
      if (this.#subscribers.size === 0) return
      this.#newest = executed
      for (const subscriber of this.#subscribers) subscriber.wake()
    })
  }

  get height(): number {
    return this.#context.application.info().lastBlockHeight
  }

  open(peer: WebSocketPeer): Subscriber {
    const subscriber = new Subscriber(peer, this, this.#context.slots)
    this.#subscribers.add(subscriber)
    return subscriber
  }

  close(subscriber: Subscriber): void {
    subscriber.drop()
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size > 0) return
    this.#kept.clear()
    this.#newest = undefined
  }

  events(height: number): BlockEvents {
    const kept = this.#kept.get(height)
    if (kept !== undefined) return kept
    const newest = this.#newest
    const receipts = newest?.block.header.number === height ? newest.receipts : undefined
    const events = new BlockEvents(this.#context, height, receipts)
    this.#kept.set(height, events)
    for (const old of this.#kept.keys()) {
      if (this.#kept.size > KEPT_BLOCKS) this.#kept.delete(old)
    }
    return events
  }

  stop(): void {
    this.#stop()
  }
}
