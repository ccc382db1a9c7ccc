import { Heap } from './heap.ts'
import type { SenderQueue } from './sender-queue.ts'

/** A sender with its rank at one version. */
interface Ranked {
  readonly queue: SenderQueue
  readonly version: number
  readonly rank: number
}

/** Above any time in milliseconds until the year 2109. */
const LAST_BEAT = 2 ** 42

/** Outdated entries per sender at which a ranking is rebuilt. */
const STALE = 4

/** Senders by descending rank. Built on the first query, since a pool with room never queries it. */
class Ranking {
  readonly #rankOf: (queue: SenderQueue) => number | undefined
  #heap: Heap<Ranked> | undefined

  /** @param rankOf returns undefined if the sender has no rank */
  constructor(rankOf: (queue: SenderQueue) => number | undefined) {
    this.#rankOf = rankOf
  }

  /** Records a change of a sender. */
  note(queue: SenderQueue): void {
    const ranked = this.#heap && this.#ranked(queue)
    if (ranked !== undefined) this.#heap?.push(ranked)
  }

  forget(): void {
    this.#heap = undefined
  }

  /** Returns the highest-ranked sender other than `except`. */
  first(senders: ReadonlyMap<string, SenderQueue>, except?: SenderQueue): SenderQueue | undefined {
    const heap = this.#open(senders)
    let kept: Ranked | undefined
    let found: SenderQueue | undefined
    for (let best = heap.first; best !== undefined; best = heap.first) {
      if (best.version !== best.queue.version) heap.removeFirst()
      else if (best.queue === except) {
        kept = best
        heap.removeFirst()
      } else {
        found = best.queue
        break
      }
    }
    if (kept !== undefined) heap.push(kept)
    return found
  }

  #ranked(queue: SenderQueue): Ranked | undefined {
    const rank = this.#rankOf(queue)
    return rank === undefined ? undefined : { queue, version: queue.version, rank }
  }

  #open(senders: ReadonlyMap<string, SenderQueue>): Heap<Ranked> {
    if (this.#heap !== undefined && this.#heap.size <= STALE * senders.size + STALE) {
      return this.#heap
    }
    const items: Ranked[] = []
    for (const queue of senders.values()) {
      const ranked = this.#ranked(queue)
      if (ranked !== undefined) items.push(ranked)
    }
    this.#heap = new Heap<Ranked>((a, b) => a.rank > b.rank, items)
    return this.#heap
  }
}

/**
 * Senders to evict from if the pool is full or transactions expire. Queries for room exclude the sender that needs
 * it.
 */
export class EvictionOrder {
  readonly #senders: ReadonlyMap<string, SenderQueue>
  readonly #queued: Ranking
  readonly #crowded: Ranking
  readonly #cheap: Ranking
  readonly #silent: Ranking
  #baseFee = 0

  /** @param accountSlots executable transactions that each account may hold before it counts as crowded */
  constructor(senders: ReadonlyMap<string, SenderQueue>, accountSlots: number) {
    this.#senders = senders
    // Ties go to the account that has been silent for longest.
    this.#queued = new Ranking(({ queuedCount, lastArrival: beat }) =>
      queuedCount === 0 ? undefined : queuedCount - beat / LAST_BEAT,
    )
    this.#crowded = new Ranking(({ executableCount }) =>
      executableCount > accountSlots ? executableCount : undefined,
    )
    this.#cheap = new Ranking((queue) => {
      const tip = queue.lowestTip(this.#baseFee)
      return tip === undefined ? undefined : -tip
    })
    this.#silent = new Ranking(({ queuedCount, lastArrival: beat }) =>
      queuedCount === 0 ? undefined : -beat,
    )
  }

  note(queue: SenderQueue): void {
    this.#queued.note(queue)
    this.#crowded.note(queue)
    this.#cheap.note(queue)
    this.#silent.note(queue)
  }

  /** Returns the sender with the most queued transactions. */
  mostQueued(except: SenderQueue): SenderQueue | undefined {
    return this.#queued.first(this.#senders, except)
  }

  /** Returns the sender with queued transactions that has been silent for longest. */
  longestSilent(): SenderQueue | undefined {
    return this.#silent.first(this.#senders)
  }

  /** Returns the sender with the most executable transactions beyond its slots. */
  mostCrowded(except: SenderQueue): SenderQueue | undefined {
    return this.#crowded.first(this.#senders, except)
  }

  /** Returns the sender whose last executable transaction pays the least at `baseFee`. */
  cheapest(except: SenderQueue, baseFee: number): SenderQueue | undefined {
    if (baseFee !== this.#baseFee) {
      this.#baseFee = baseFee
      this.#cheap.forget()
    }
    return this.#cheap.first(this.#senders, except)
  }
}
