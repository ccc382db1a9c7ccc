import type { LockstepError } from '../../../base/error.ts'
import { refuse } from './admission.ts'
import type { Evicted, PoolContents } from './pool-contents.ts'
import type { PoolLimits } from './pool-options.ts'
import { type Entry, type SenderQueue, tipAt } from './sender-queue.ts'

/** Queued transactions may take one part in so many of the pool's memory: they give way to those that can be executed. */
const QUEUED_SHARE = 2

/** A transaction at the door. */
export interface Arrival {
  readonly entry: Entry
  /** The queue of its sender. */
  readonly queue: SenderQueue
  /** The transaction waits for an earlier nonce. */
  readonly isQueued: boolean
  readonly replaced: Entry | undefined
}

/** The transaction that arrives, and the bounds that it may run into. */
class Room {
  readonly #contents: PoolContents
  readonly #limits: PoolLimits
  readonly #count: number
  readonly #bytes: number

  constructor({ entry, replaced }: Arrival, contents: PoolContents, limits: PoolLimits) {
    this.#contents = contents
    this.#limits = limits
    this.#count = replaced === undefined ? 1 : 0
    this.#bytes = entry.bytes - (replaced?.bytes ?? 0)
  }

  get isFull(): boolean {
    const { size, bytes } = this.#contents
    const { maxTransactions, maxBytes } = this.#limits
    return size + this.#count > maxTransactions || bytes + this.#bytes > maxBytes
  }

  get isQueueFull(): boolean {
    const { queuedCount, queuedBytes } = this.#contents
    const { globalQueue, maxBytes } = this.#limits
    return (
      queuedCount + this.#count > globalQueue || queuedBytes + this.#bytes > maxBytes / QUEUED_SHARE
    )
  }

  /** The bound of the whole pool that has no room, as the configuration calls it. */
  get bound(): string {
    const { maxTransactions, maxBytes } = this.#limits
    return this.#contents.size + this.#count > maxTransactions
      ? `mempool.size ${maxTransactions}`
      : `mempool.max-txs-bytes ${maxBytes}`
  }

  /** The bound of the queued ones that has no room. */
  get queueBound(): string {
    const { globalQueue, maxBytes } = this.#limits
    return this.#contents.queuedCount + this.#count > globalQueue
      ? `mempool.global-queue ${globalQueue}`
      : `half of mempool.max-txs-bytes ${maxBytes}`
  }
}

/** The refusal of a transaction that would be queued. Its text has the remedy: clients are told nothing else. */
function noRoomToWait(room: Room): LockstepError {
  return room.isQueueFull
    ? refuse(
        `txpool is full: too many transactions wait for an earlier nonce (${room.queueBound}); send those with earlier nonces first, or this one again later`,
        "the node's operator may raise the bound",
      )
    : refuse('future transaction tries to replace pending', 'send those with earlier nonces first')
}

function underpriced(offer: number, room: Room): LockstepError {
  return refuse(
    `transaction underpriced: the pool is full (${room.bound}) and effective gas tip ${offer} is not above the lowest held; send it again later, or with a higher priority fee`,
    "the node's operator may raise the bound",
  )
}

/** Evicts a queued transaction for `arrival`; undefined where none gives way. */
function evictQueued({ queue, isQueued }: Arrival, contents: PoolContents): Evicted | undefined {
  const most = contents.order.mostQueued(queue)
  // Between two queued transactions the one goes whose account has more of them, so that none gets all the
  // room.
  if (most === undefined || (isQueued && most.queuedCount <= queue.queuedCount)) return undefined
  return contents.evict(most, most.lastQueued as Entry)
}

/** Evicts an executable transaction for `arrival`. */
function evictExecutable(
  { entry, queue }: Arrival,
  contents: PoolContents,
  room: Room,
  baseFee: number,
): Evicted {
  const tip = tipAt(entry, baseFee)
  const ownTip = queue.lowestTip(baseFee)
  // The block pays for those before it first.
  const offer = ownTip !== undefined && ownTip < tip ? ownTip : tip
  const crowded = offer < 0 ? undefined : contents.order.mostCrowded(queue)
  if (crowded !== undefined && crowded.executableCount > queue.executableCount + 1) {
    return contents.evict(crowded, crowded.lastExecutable as Entry)
  }
  const cheapest = contents.order.cheapest(queue, baseFee)
  const lowest = cheapest?.lowestTip(baseFee)
  if (cheapest === undefined || lowest === undefined || lowest >= offer)
    throw underpriced(offer, room)
  return contents.evict(cheapest, cheapest.lastExecutable as Entry)
}

/**
 * Evicts until a transaction fits; returns the evicted ones. Queued transactions give way first, those of
 * the account with the most of them; then executable ones of accounts beyond their slots, the fullest
 * first; then those that pay the least. Only the last transaction of another account goes, so that no gap
 * opens before one that stays, and a queued one never takes the place of an executable one.
 * @throws TRANSACTION_REJECTED with nothing evicted.
 */
export function makeRoom(
  arrival: Arrival,
  contents: PoolContents,
  limits: PoolLimits,
  baseFee: number,
): readonly Entry[] {
  const room = new Room(arrival, contents, limits)
  const evicted: Evicted[] = []
  try {
    while (room.isFull || (arrival.isQueued && room.isQueueFull)) {
      const queued = evictQueued(arrival, contents)
      if (queued === undefined && arrival.isQueued) throw noRoomToWait(room)
      evicted.push(queued ?? evictExecutable(arrival, contents, room, baseFee))
    }
  } catch (error) {
    contents.giveBack(evicted)
    throw error
  }
  return evicted.map(({ entry }) => entry)
}
