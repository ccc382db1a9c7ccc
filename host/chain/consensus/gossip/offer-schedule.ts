import { bytesKey } from '../../../base/bytes.ts'

interface Offer {
  readonly hash: Uint8Array
  /** Blocks from the offer before it. */
  readonly wait: number
}

/** Blocks after which a transaction is offered a second time; each further time after twice as many. */
const FIRST_WAIT = 2
const LONGEST_WAIT = 128

/** Which transactions are due to be offered again, by height. */
export class OfferSchedule {
  readonly #due = new Map<number, Offer[]>()
  readonly #scheduled = new Set<string>()
  #height: number

  constructor(height: number) {
    this.#height = height
  }

  /** Transactions that are watched. */
  get size(): number {
    return this.#scheduled.size
  }

  /** It was offered now. */
  add(hash: Uint8Array): void {
    const key = bytesKey(hash)
    if (this.#scheduled.has(key)) return
    this.#scheduled.add(key)
    this.#put({ hash, wait: FIRST_WAIT })
  }

  /**
   * Moves to a height and returns those that are due at it: `judge` says whether one is to be offered, looked at again
   * later, or forgotten.
   */
  advance(height: number, judge: (hash: Uint8Array) => 'offer' | 'later' | 'forget'): Uint8Array[] {
    const offered: Uint8Array[] = []
    for (let at = this.#height + 1; at <= height; at++) {
      this.#height = at
      const due = this.#due.get(at) ?? []
      this.#due.delete(at)
      for (const { hash, wait } of due) {
        const verdict = judge(hash)
        if (verdict === 'forget') this.#scheduled.delete(bytesKey(hash))
        else if (verdict === 'later') this.#put({ hash, wait })
        else {
          offered.push(hash)
          this.#put({ hash, wait: Math.min(2 * wait, LONGEST_WAIT) })
        }
      }
    }
    return offered
  }

  #put(offer: Offer): void {
    const height = this.#height + offer.wait
    const due = this.#due.get(height)
    if (due === undefined) this.#due.set(height, [offer])
    else due.push(offer)
  }
}
