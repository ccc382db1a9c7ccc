/**
 * Buffers that a thread writes its traces into. They go out and come back: a new one for each chunk would
 * pile up by the tens of megabytes, since neither thread's collector sees how much memory they hold.
 */
export class ChunkPool {
  readonly #bytes: number
  readonly #spares: number
  readonly #free: ArrayBuffer[] = []

  /** Buffers of `bytes`, of which at most `spares` lie unused. */
  constructor(bytes: number, spares: number) {
    this.#bytes = bytes
    this.#spares = spares
  }

  /** A buffer that nobody else writes to. It still holds the bytes of its last use. */
  take(): Uint8Array<ArrayBuffer> {
    // The buffer that came back last is still in the processor's cache.
    return new Uint8Array(this.#free.pop() ?? new ArrayBuffer(this.#bytes))
  }

  /** Takes back a buffer of `take`, or a part of one. */
  giveBack({ buffer }: Uint8Array<ArrayBuffer>): void {
    if (this.#free.length < this.#spares) this.#free.push(buffer)
  }
}
