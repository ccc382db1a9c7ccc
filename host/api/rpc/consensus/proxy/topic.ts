import type { EventSubscriber } from './event-subscriber.ts'

/** A transaction hash condition, with which broadcast_tx_commit waits. */
const BY_HASH = /\btx\.hash\s*=/

/** A query subscribed at CometBFT, and its subscribers. */
export class CometTopic {
  /** The query in canonical form. */
  readonly key: string
  /** The query as sent to CometBFT. */
  readonly asked: string
  /** Id of the request and of its events. */
  readonly id: number
  readonly subscribers = new Set<EventSubscriber>()
  hasBegun = false
  /** Resolves when CometBFT has accepted the subscription; rejects with its error. */
  readonly begun: Promise<void>
  readonly begin: () => void
  readonly fail: (error: Error) => void

  constructor(key: string, text: string, id: number) {
    this.key = key
    // CometBFT's broadcast_tx_commit subscribes with the identity of this connection, and CometBFT would reject an
    // equal query. A condition that is always true makes this query different.
    this.asked = BY_HASH.test(text) ? `${text} AND tm.event EXISTS` : text
    this.id = id
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.begun = promise
    this.fail = reject
    this.begin = () => {
      this.hasBegun = true
      resolve()
    }
    // The rejection may have no other handler.
    this.begun.catch(() => undefined)
  }
}
