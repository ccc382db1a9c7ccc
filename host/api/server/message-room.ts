import type { SharedSum } from './shared-sum.ts'

/**
 * Most bytes of a WebSocket message, in the order in which they are given out. The last, which is given to all, has room for
 * the transaction that makes the longest contract.
 */
const LIMITS: readonly number[] = [1 << 20, 1 << 18, 1 << 17]

/** A message over the limit of bodies by no more than this is taken in, to be refused with a close frame and a reason. */
const SEEN_BYTES = 64 * 1024

/** The library's buffer of a message doubles as it grows. */
const BUFFER_COPIES = 2

/** A WebSocket is given a limit if so many of the same would have room. */
const SHARE = 3

/**
 * Room for messages that clients have begun, where the library keeps what it has of one and tells nobody: each WebSocket
 * has as much reserved as it may send. The first ones may send messages as long as bodies, later ones shorter ones.
 */
export class MessageRoom {
  /** Bytes of a message, from the largest. */
  readonly limits: readonly number[]
  readonly #reserved: SharedSum
  readonly #maxBytes: number

  constructor(maxMessageBytes: number, reserved: SharedSum, maxBytes: number) {
    const shorter = LIMITS.filter((limit) => limit < maxMessageBytes)
    this.limits = [maxMessageBytes + SEEN_BYTES, ...shorter]
    this.#reserved = reserved
    this.#maxBytes = maxBytes
  }

  /** Reserves room for messages up to a limit; false if a shorter one is to be tried. */
  take(limit: number): boolean {
    const bytes = limit * BUFFER_COPIES
    const isLast = limit === this.limits.at(-1)
    if (!isLast && bytes * SHARE > this.#maxBytes - this.#reserved.total) return false
    this.#reserved.add(bytes)
    return true
  }

  giveBack(limit: number): void {
    this.#reserved.add(-limit * BUFFER_COPIES)
  }
}
