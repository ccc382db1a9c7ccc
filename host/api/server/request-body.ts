import { EMPTY_BYTES } from '../../base/bytes.ts'
import { BODY_IN_CRUMBS, BODY_TOO_LARGE, NO_ROOM } from './refusal.ts'
import type { HttpResponse } from './server.ts'
import type { ClientAccount } from './work-scheduler.ts'

/** Bytes that a body may have before it is counted. */
const FIRST_BYTES = 4096

/**
 * A body may come in this many pieces of any size; of more, a piece has this many bytes on average. Each piece is
 * a call from the parser, whatever its size, and a buffer of the system holds a hundred thousand of one byte.
 */
const FREE_PIECES = 4096
const MEAN_PIECE_BYTES = 64

/** Why a body is not taken: it is answered so, and what still comes of it is dropped or the connection closed. */
export interface BodyRefusal {
  readonly answer: HttpResponse
  readonly hangUp: boolean
}

/** A long body is taken in by turns, one for so many bytes: taking is copying, and clients send as fast as is taken. */
const TURN_BYTES = 256 * 1024
/** Milliseconds that it is expected to take. */
const TURN_MS = 0.5

/**
 * The body of a request while it arrives, in one buffer that grows with it: whatever its pieces, it takes twice
 * its size.
 */
export class RequestBody {
  readonly #maxBytes: number
  readonly #account: () => ClientAccount
  #bytes: Uint8Array = EMPTY_BYTES
  #size = 0
  #pieces = 0
  #heldBytes = 0
  #nextTurn = TURN_BYTES

  /** The account is looked up for bodies that need room only: that takes longer than a short call. */
  constructor(maxBytes: number, account: () => ClientAccount) {
    this.#maxBytes = maxBytes
    this.#account = account
  }

  /** Copies a piece; the refusal where the body is not to be taken. */
  push(piece: Uint8Array): BodyRefusal | undefined {
    const size = this.#size + piece.length
    if (size > this.#maxBytes) return this.#refuse({ answer: BODY_TOO_LARGE, hangUp: false })
    if (++this.#pieces > FREE_PIECES && size < this.#pieces * MEAN_PIECE_BYTES) {
      return this.#refuse({ answer: BODY_IN_CRUMBS, hangUp: true })
    }
    if (size > this.#bytes.length && !this.#grow(size)) {
      return this.#refuse({ answer: NO_ROOM, hangUp: true })
    }
    this.#bytes.set(piece, this.#size)
    this.#size = size
    return undefined
  }

  /** A promise to wait for before more is read; undefined where more may be read at once. */
  turn(): Promise<void> | undefined {
    if (this.#size < this.#nextTurn) return undefined
    this.#nextTurn = this.#size + TURN_BYTES
    return this.#account().turn(TURN_MS)
  }

  /** The body, once it is whole. */
  get bytes(): Uint8Array {
    // Of a short one each view would take as long as its copy
    return this.#size === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#size)
  }

  /** Gives up what is held. Later calls change nothing. */
  release(): void {
    this.#bytes = EMPTY_BYTES
    this.#size = 0
    if (this.#heldBytes === 0) return
    this.#account().hold(-this.#heldBytes)
    this.#heldBytes = 0
  }

  #grow(size: number): boolean {
    // The first piece of a short body is all of it.
    const doubled = Math.min(Math.max(this.#size * 2, FIRST_BYTES), this.#maxBytes)
    const capacity = this.#size === 0 ? size : Math.max(size, doubled)
    if (capacity > FIRST_BYTES) {
      const account = this.#account()
      const more = capacity - this.#heldBytes
      if (!account.admits(more)) return false
      account.hold(more)
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
