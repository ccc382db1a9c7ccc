import type { BorrowedView } from '../../base/borrowed-view.ts'

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

  /** Sends the next chunk. */
  async pull(): Promise<void> {
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
      else this.#reader.chunk(new Uint8Array(step.value.borrowed))
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
