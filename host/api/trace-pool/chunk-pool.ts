/**
 * Reusable buffers for the traces of a thread. They are transferred and come back. New buffers for each chunk would
 * accumulate tens of megabytes, because neither garbage collector accounts for their memory.
 */
export class ChunkPool {
  readonly #bytes: number
  readonly #spares: number
  readonly #free: ArrayBuffer[] = []

  /**
   * @param bytes size of each buffer
   * @param spares maximum unused buffers
   */
  constructor(bytes: number, spares: number) {
    this.#bytes = bytes
    this.#spares = spares
  }

  /** Returns an exclusive buffer, which still contains the bytes of its last use. */
  take(): Uint8Array<ArrayBuffer> {
    // The last returned buffer is still in the processor's cache.
    return new Uint8Array(this.#free.pop() ?? new ArrayBuffer(this.#bytes))
  }

  /** Returns a buffer of `take`, or a part of one, to the pool. */
  release({ buffer }: Uint8Array<ArrayBuffer>): void {
    if (this.#free.length < this.#spares) this.#free.push(buffer)
  }
}
