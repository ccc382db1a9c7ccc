import type { EventSubscriber } from './event-subscriber.ts'

/** The hash of a transaction, by which broadcast_tx_commit waits for it. */
const BY_HASH = /\btx\.hash\s*=/

/** A query that CometBFT is asked for the events of, and those who take them. */
export class Topic {
  /** The query in one spelling. */
  readonly key: string
  /** The query as CometBFT is asked. */
  readonly asked: string
  /** Id of the request, which its events carry. */
  readonly id: number
  readonly subscribers = new Set<EventSubscriber>()
  hasBegun = false
  /** Resolves once CometBFT has taken it; rejects in its words. */
  readonly begun: Promise<void>
  begin: () => void = () => {}
  fail: (error: Error) => void = () => {}

  constructor(key: string, text: string, id: number) {
    this.key = key
    // CometBFT's broadcast_tx_commit subscribes under the name that this connection has too, and would be refused the
    // same query. A condition that every event meets makes it another one.
    this.asked = BY_HASH.test(text) ? `${text} AND tm.event EXISTS` : text
    this.id = id
    this.begun = new Promise((resolve, reject) => {
      this.begin = () => {
        this.hasBegun = true
        resolve()
      }
      this.fail = reject
    })
    // Nobody may wait for it any more.
    this.begun.catch(() => undefined)
  }
}
