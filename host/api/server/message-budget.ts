import type { SharedSum } from './shared-sum.ts'

/**
 * Maximum bytes of a WebSocket message, in the order in which sockets receive these limits. The last one is always
 * available and fits the transaction that creates the largest contract.
 */
const LIMITS: readonly number[] = [1 << 20, 1 << 18, 1 << 17]

/**
 * A message that exceeds the body limit by no more than this is read, then rejected with a close frame and a reason.
 */
const SEEN_BYTES = 64 * 1024

/** The library's message buffer doubles as it grows. */
const BUFFER_COPIES = 2

/** A WebSocket receives a limit only if this many of the same size, its own included, would still fit. */
const SHARE = 3

/**
 * Memory for messages that clients have begun. The library buffers them without reporting how much, so each WebSocket
 * reserves as much as it may send. The first sockets may send messages as large as bodies, later ones smaller ones.
 */
export class MessageBudget {
  /** Maximum message sizes in bytes, largest first. */
  readonly limits: readonly number[]
  readonly #reserved: SharedSum
  readonly #maxBytes: number

  constructor(maxMessageBytes: number, reserved: SharedSum, maxBytes: number) {
    const shorter = LIMITS.filter((limit) => limit < maxMessageBytes)
    this.limits = [maxMessageBytes + SEEN_BYTES, ...shorter]
    this.#reserved = reserved
    this.#maxBytes = maxBytes
  }

  /** Reserves memory for messages up to `limit`; returns false if the caller must try a smaller limit. */
  reserve(limit: number): boolean {
    const bytes = limit * BUFFER_COPIES
    const isLast = limit === this.limits.at(-1)
    if (!isLast && bytes * SHARE > this.#maxBytes - this.#reserved.total) return false
    this.#reserved.add(bytes)
    return true
  }

  release(limit: number): void {
    this.#reserved.add(-limit * BUFFER_COPIES)
  }
}
