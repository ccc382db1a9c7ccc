import { EMPTY_BYTES } from '../../base/bytes.ts'
import { BODY_TOO_FRAGMENTED, BODY_TOO_LARGE, CLIENT_MEMORY_EXHAUSTED } from './refusal.ts'
import type { HttpResponse } from './server.ts'
import type { ClientQuota } from './work-scheduler.ts'

/** Initial capacity in bytes. */
const FIRST_BYTES = 4096

/**
 * The first pieces of a body may have any size; beyond them the mean size must be at least this many bytes. Each
 * piece is a call from the parser, whatever its size, and a socket buffer holds a hundred thousand pieces of one
 * byte.
 */
const FREE_PIECES = 4096
const MEAN_PIECE_BYTES = 64

/** Why a body is rejected: the response, and whether to close the connection or discard the rest of the body. */
export interface BodyRefusal {
  readonly answer: HttpResponse
  readonly hangUp: boolean
}

/** Receiving a large body yields after this many bytes: receiving copies, and clients send as fast as we receive. */
const TURN_BYTES = 256 * 1024
/** Milliseconds that receiving that many bytes is expected to take. */
const TURN_MS = 0.5

/** The body of a request during its arrival, in one growing buffer. Needs twice its size, whatever its pieces. */
export class RequestBody {
  readonly #maxBytes: number
  readonly #account: () => ClientQuota
  #bytes: Uint8Array = EMPTY_BYTES
  #size = 0
  #pieces = 0
  #heldBytes = 0
  #nextTurn = TURN_BYTES

  /** The account is resolved only for bodies that need memory: the lookup takes longer than a short call. */
  constructor(maxBytes: number, account: () => ClientQuota) {
    this.#maxBytes = maxBytes
    this.#account = account
  }

  /** Copies a piece; returns a refusal if the body must not be accepted. */
  push(piece: Uint8Array): BodyRefusal | undefined {
    const size = this.#size + piece.length
    if (size > this.#maxBytes) return this.#refuse({ answer: BODY_TOO_LARGE, hangUp: false })
    if (++this.#pieces > FREE_PIECES && size < this.#pieces * MEAN_PIECE_BYTES) {
      return this.#refuse({ answer: BODY_TOO_FRAGMENTED, hangUp: true })
    }
    if (size > this.#bytes.length && !this.#grow(size)) {
      return this.#refuse({ answer: CLIENT_MEMORY_EXHAUSTED, hangUp: true })
    }
    this.#bytes.set(piece, this.#size)
    this.#size = size
    return undefined
  }

  /** Returns a promise to await before reading more, or undefined if reading may continue. */
  yield(): Promise<void> | undefined {
    if (this.#size < this.#nextTurn) return undefined
    this.#nextTurn = this.#size + TURN_BYTES
    return this.#account().yield(TURN_MS)
  }

  /** The complete body. */
  get bytes(): Uint8Array {
    // For a short body a view costs as much as a copy.
    return this.#size === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#size)
  }

  /** Releases the reserved memory. Idempotent. */
  release(): void {
    this.#bytes = EMPTY_BYTES
    this.#size = 0
    if (this.#heldBytes === 0) return
    this.#account().reserve(-this.#heldBytes)
    this.#heldBytes = 0
  }

  #grow(size: number): boolean {
    // The first piece of a short body is the whole body.
    const doubled = Math.min(Math.max(this.#size * 2, FIRST_BYTES), this.#maxBytes)
    const capacity = this.#size === 0 ? size : Math.max(size, doubled)
    if (capacity > FIRST_BYTES) {
      const account = this.#account()
      const more = capacity - this.#heldBytes
      if (!account.admits(more)) return false
      account.reserve(more)
      this.#heldBytes = capacity
    }
    const bytes = Buffer.allocUnsafe(capacity)
    if (this.#size > 0) bytes.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = bytes
    return true
  }

  #refuse(refusal: BodyRefusal): BodyRefusal {
    this.release()
    return refusal
  }
}
