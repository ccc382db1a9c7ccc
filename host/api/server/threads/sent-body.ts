import type { BorrowedView } from '../../../base/borrowed-view.ts'

/** The receiving end of a body on another thread. */
export interface BodyReader {
  /** A chunk with a buffer of its own. */
  chunk(bytes: Uint8Array<ArrayBuffer>): void
  end(): void
  /** The body ended by throwing. */
  broken(): void
}

/** A body that another thread reads, chunk by chunk on request. */
export class SentBody {
  readonly #iterator: AsyncIterator<BorrowedView>
  readonly #reader: BodyReader
  #isDropped = false
  #isBusy = false

  constructor(body: AsyncIterable<BorrowedView>, reader: BodyReader) {
    this.#iterator = body[Symbol.asyncIterator]()
    this.#reader = reader
  }

  /** Sends the next chunk, in the buffer of a chunk already read if it fits. */
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

  /** Closes the source of the body, because it will not be read further. */
  drop(): void {
    if (this.#isDropped) return
    this.#isDropped = true
    // As in a `for await` loop: the source is not closed while it produces a chunk.
    if (!this.#isBusy) void this.#return()
  }

  async #return(): Promise<void> {
    try {
      await this.#iterator.return?.()
    } catch {
      // The reader has gone, so the error is dropped.
    }
  }
}

/**
 * Buffers are reused: a new one for each chunk costs page faults and triggers garbage collection on the reading
 * thread. At 500 MB/s these collections took a third of a core (eight traces at once, bench/reads.md).
 */
function copyInto(spare: ArrayBuffer | undefined, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (spare === undefined || spare.byteLength < bytes.length) return new Uint8Array(bytes)
  const copy = new Uint8Array(spare, 0, bytes.length)
  copy.set(bytes)
  return copy
}
