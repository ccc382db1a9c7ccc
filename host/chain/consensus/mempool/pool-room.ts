import type { LockstepError } from '../../../base/error.ts'
import { poolRejection } from './admission.ts'
import type { Evicted, PoolContents } from './pool-contents.ts'
import type { PoolLimits } from './pool-options.ts'
import { type PoolEntry, type SenderQueue, tipAtBaseFee } from './sender-queue.ts'

/** Queued transactions get at most 1/QUEUED_SHARE of the pool's memory: executable ones take precedence. */
const QUEUED_SHARE = 2

/** A transaction to be admitted. */
export interface Arrival {
  readonly entry: PoolEntry
  /** The queue of its sender. */
  readonly queue: SenderQueue
  /** True if the transaction waits for an earlier nonce. */
  readonly isQueued: boolean
  readonly replaced: PoolEntry | undefined
}

/** An arriving transaction with the limits that it may exceed. */
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

  /** The exceeded limit of the whole pool, under its name in the configuration. */
  get bound(): string {
    const { maxTransactions, maxBytes } = this.#limits
    return this.#contents.size + this.#count > maxTransactions
      ? `mempool.size ${maxTransactions}`
      : `mempool.max-txs-bytes ${maxBytes}`
  }

  /** The exceeded limit of queued transactions. */
  get queueBound(): string {
    const { globalQueue, maxBytes } = this.#limits
    return this.#contents.queuedCount + this.#count > globalQueue
      ? `mempool.global-queue ${globalQueue}`
      : `half of mempool.max-txs-bytes ${maxBytes}`
  }
}

/**
 * Returns the rejection of a transaction that would be queued. The message has the remedy, since clients see nothing
 * else.
 */
function noRoomToWait(room: Room): LockstepError {
  return room.isQueueFull
    ? poolRejection(
        `txpool is full: too many transactions wait for an earlier nonce (${room.queueBound}); send those with earlier nonces first, or this one again later`,
        "the node's operator may raise the limit",
      )
    : poolRejection(
        'future transaction tries to replace pending',
        'send those with earlier nonces first',
      )
}

function underpriced(offer: number, room: Room): LockstepError {
  return poolRejection(
    `transaction underpriced: the pool is full (${room.bound}) and effective gas tip ${offer} is not above the lowest held; send it again later, or with a higher priority fee`,
    "the node's operator may raise the limit",
  )
}

/** Evicts a queued transaction in favour of `arrival`. Returns undefined if there is none to evict. */
function evictQueued({ queue, isQueued }: Arrival, contents: PoolContents): Evicted | undefined {
  const most = contents.order.mostQueued(queue)
  // Among queued transactions the account with more of them loses one, so that no account takes all the room.
  if (most === undefined || (isQueued && most.queuedCount <= queue.queuedCount)) return undefined
  return contents.evict(most, most.lastQueued as PoolEntry)
}

/** Evicts an executable transaction in favour of `arrival`. */
function evictExecutable(
  { entry, queue }: Arrival,
  contents: PoolContents,
  room: Room,
  baseFee: number,
): Evicted {
  const tip = tipAtBaseFee(entry, baseFee)
  const ownTip = queue.lowestTip(baseFee)
  // A block takes the sender's earlier transactions first.
  const offer = ownTip !== undefined && ownTip < tip ? ownTip : tip
  const crowded = offer < 0 ? undefined : contents.order.mostCrowded(queue)
  if (crowded !== undefined && crowded.executableCount > queue.executableCount + 1) {
    return contents.evict(crowded, crowded.lastExecutable as PoolEntry)
  }
  const cheapest = contents.order.cheapest(queue, baseFee)
  const lowest = cheapest?.lowestTip(baseFee)
  if (cheapest === undefined || lowest === undefined || lowest >= offer)
    throw underpriced(offer, room)
  return contents.evict(cheapest, cheapest.lastExecutable as PoolEntry)
}

/**
 * Evicts transactions until `arrival` fits, and returns the evicted ones. First go queued transactions of the account
 * with the most of them, then executable ones of the most crowded account, then those that pay the least. Only the
 * last transaction of another account is evicted, so that no nonce gap opens. A queued transaction never displaces an
 * executable one.
 * @throws TRANSACTION_REJECTED without evicting anything
 */
export function makeRoom(
  arrival: Arrival,
  contents: PoolContents,
  limits: PoolLimits,
  baseFee: number,
): readonly PoolEntry[] {
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
