import type { ExecutedBlock } from '../../../storage/store/codec/block-record.ts'
import type { WebSocketPeer } from '../../server/server.ts'
import type { ConsensusRpcContext, SubscriptionSource } from './context.ts'
import { BlockEvents } from './published-events.ts'
import { type EventSource, EventSubscription } from './subscriber.ts'

/** Blocks whose events are cached for subscribers at the head of the chain. */
const KEPT_BLOCKS = 2

/** Notifies subscribers of each block, and creates its events once for all of them. */
export class EventHub implements EventSource, SubscriptionSource {
  readonly #context: ConsensusRpcContext
  readonly #subscribers = new Set<EventSubscription>()
  readonly #kept = new Map<number, BlockEvents>()
  readonly #stop: () => void
  #newest: ExecutedBlock | undefined
  /** Blocks above this height are being removed. */
  #cutTo = Number.POSITIVE_INFINITY

  constructor(context: ConsensusRpcContext) {
    this.#context = context
    const stopBlocks = context.heads.onBlock((executed) => {
      if (this.#subscribers.size === 0) return
      this.#newest = executed
      for (const subscriber of this.#subscribers) subscriber.wake()
    })
    const stopRemovals = context.heads.onRemoval((kept) => this.#cut(kept))
    this.#stop = () => {
      stopBlocks()
      stopRemovals()
    }
  }

  get height(): number {
    return Math.min(this.#context.application.info().lastBlockHeight, this.#cutTo)
  }

  /** Forgets the blocks above a height. The blocks that replace them are announced as usual. */
  #cut(kept: number): () => void {
    this.#cutTo = kept
    for (const height of [...this.#kept.keys()]) if (height > kept) this.#kept.delete(height)
    this.#newest = undefined
    for (const subscriber of this.#subscribers) subscriber.cut(kept)
    return () => {
      this.#cutTo = Number.POSITIVE_INFINITY
    }
  }

  open(peer: WebSocketPeer): EventSubscription {
    const subscriber = new EventSubscription(peer, this, this.#context.slots)
    this.#subscribers.add(subscriber)
    return subscriber
  }

  close(subscriber: EventSubscription): void {
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
