import type { BorrowedView } from '../../../base/borrowed-view.ts'

/** A body received from the main thread, prefetching one chunk. */
export class ReceivedBody implements AsyncIterable<BorrowedView>, AsyncIterator<BorrowedView> {
  readonly #pull: (spare: ArrayBuffer | undefined) => void
  readonly #drop: () => void
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  /** The chunk that the client is reading. */
  #lent: Uint8Array<ArrayBuffer> | undefined
  #end: 'whole' | 'broken' | 'dropped' | undefined
  #wake: (() => void) | undefined

  /**
   * @param pull requests the next chunk and returns the buffer of a chunk that was read
   * @param drop called once if no more chunks are wanted
   */
  constructor(pull: (spare: ArrayBuffer | undefined) => void, drop: () => void) {
    this.#pull = pull
    this.#drop = drop
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#end !== undefined) return
    this.#chunks.push(bytes)
    this.#resume()
  }

  finish(end: 'whole' | 'broken'): void {
    this.#end ??= end
    this.#resume()
  }

  /** Stops the body, because the client has disconnected. */
  drop(): void {
    if (this.#end === undefined) this.#drop()
    this.#end ??= 'dropped'
    this.#chunks.length = 0
    this.#resume()
  }

  async next(): Promise<IteratorResult<BorrowedView>> {
    while (this.#chunks.length === 0) {
      if (this.#end === 'broken') throw new Error('the response body was aborted')
      if (this.#end !== undefined) return { done: true, value: undefined }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const borrowed = this.#chunks.shift() as Uint8Array<ArrayBuffer>
    const read = this.#lent?.buffer
    this.#lent = borrowed
    // Requested now, so that it arrives while this chunk is written.
    if (this.#end === undefined) this.#pull(read)
    return { done: false, value: { borrowed } }
  }

  async return(): Promise<IteratorResult<BorrowedView>> {
    this.drop()
    return { done: true, value: undefined }
  }

  #resume(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
