import type { BorrowedView } from '../../../base/borrowed-view.ts'

/** A body that comes from the chain's thread, one chunk ahead of what the client reads. */
export class ReceivedBody implements AsyncIterable<BorrowedView>, AsyncIterator<BorrowedView> {
  readonly #pull: (spare: ArrayBuffer | undefined) => void
  readonly #drop: () => void
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  /** The chunk that is being read. */
  #lent: Uint8Array<ArrayBuffer> | undefined
  #end: 'whole' | 'broken' | 'dropped' | undefined
  #wake: (() => void) | undefined

  /**
   * `pull` asks for the next chunk and gives back the buffer of one that was read; `drop` says once that no more is
   * wanted.
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

  /** The client is gone. */
  drop(): void {
    if (this.#end === undefined) this.#drop()
    this.#end ??= 'dropped'
    this.#chunks.length = 0
    this.#resume()
  }

  async next(): Promise<IteratorResult<BorrowedView>> {
    while (this.#chunks.length === 0) {
      if (this.#end === 'broken') throw new Error('the body broke off')
      if (this.#end !== undefined) return { done: true, value: undefined }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const borrowed = this.#chunks.shift() as Uint8Array<ArrayBuffer>
    const read = this.#lent?.buffer
    this.#lent = borrowed
    // Asked for now, so that it is here when this one is written.
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
