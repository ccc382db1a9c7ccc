import type { BorrowedView } from '../../../base/borrowed-view.ts'

/** What is told of a body that another thread reads. */
export interface BodyReader {
  /** A chunk of its own bytes. */
  chunk(bytes: Uint8Array<ArrayBuffer>): void
  end(): void
  /** The body ended by throwing. */
  broken(): void
}

/** A body that is read on another thread, chunk by chunk as it is asked for. */
export class SentBody {
  readonly #iterator: AsyncIterator<BorrowedView>
  readonly #reader: BodyReader
  #isDropped = false
  #isBusy = false

  constructor(body: AsyncIterable<BorrowedView>, reader: BodyReader) {
    this.#iterator = body[Symbol.asyncIterator]()
    this.#reader = reader
  }

  /** Sends the next chunk, in the buffer of one that was read where it fits there. */
  async pull(spare?: ArrayBuffer): Promise<void> {
    if (this.#isDropped || this.#isBusy) return
    this.#isBusy = true
    try {
      let step = await this.#iterator.next()
      while (step.done !== true && step.value.borrowed.length === 0) {
        step = await this.#iterator.next()
      }
      this.#isBusy = false
      if (this.#isDropped) void this.#return()
      else if (step.done === true) this.#reader.end()
      else this.#reader.chunk(copyInto(spare, step.value.borrowed))
    } catch {
      this.#isBusy = false
      if (!this.#isDropped) this.#reader.broken()
    }
  }

  /** Nobody reads on: whatever feeds the body stops. */
  drop(): void {
    if (this.#isDropped) return
    this.#isDropped = true
    // As in a loop over it: it is not told to stop while it makes a chunk.
    if (!this.#isBusy) void this.#return()
  }

  async #return(): Promise<void> {
    try {
      await this.#iterator.return?.()
    } catch {
      // Nobody reads it, so nobody is to be told.
    }
  }
}

/**
 * A new buffer for each chunk costs the system's pages, and the thread that reads sees a stream as memory that is to be
 * collected: at 500 MB a second its collections took a third of a core (eight traces at once, bench/reads.md).
 */
function copyInto(spare: ArrayBuffer | undefined, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (spare === undefined || spare.byteLength < bytes.length) return new Uint8Array(bytes)
  const copy = new Uint8Array(spare, 0, bytes.length)
  copy.set(bytes)
  return copy
}
