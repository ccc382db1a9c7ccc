import { bytesKey } from '../../../base/bytes.ts'

interface Offer {
  readonly hash: Uint8Array
  /** Blocks since the previous offer. */
  readonly wait: number
}

/** Blocks before the second offer; the wait doubles with each further offer. */
const FIRST_WAIT = 2
const LONGEST_WAIT = 128

/** Schedules by height when transactions are offered to CometBFT again. */
export class OfferSchedule {
  readonly #due = new Map<number, Offer[]>()
  readonly #scheduled = new Set<string>()
  #height: number

  constructor(height: number) {
    this.#height = height
  }

  /** Schedules a transaction that was offered just now. */
  add(hash: Uint8Array): void {
    const key = bytesKey(hash)
    if (this.#scheduled.has(key)) return
    this.#scheduled.add(key)
    this.#put({ hash, wait: FIRST_WAIT })
  }

  /**
   * Advances to a height and returns the transactions to offer again. For each one that is due, `judge` decides
   * whether to offer it, check it again later, or forget it.
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
