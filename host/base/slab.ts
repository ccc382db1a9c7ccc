/** Bytes of an array shared by copies. */
const SLAB_BYTES = 64 * 1024

/** Up to this length bytes are copied one by one: creating a view of the source would take longer. */
const SHORT = 64

/**
 * Copies with the same lifetime, such as the parts of a block's transactions: many share one array, which lives as
 * long as any of them. An array per copy would cost more time and garbage.
 */
export class Slab {
  #bytes = new Uint8Array(0)
  #at = 0

  /** Returns a copy of the bytes from `start` to `end`. */
  copy(source: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start
    if (length > SLAB_BYTES >> 3) return source.slice(start, end)
    if (this.#at + length > this.#bytes.length) {
      this.#bytes = new Uint8Array(SLAB_BYTES)
      this.#at = 0
    }
    const at = this.#at
    this.#at += length
    const bytes = this.#bytes
    if (length > SHORT) bytes.set(source.subarray(start, end), at)
    else for (let i = 0; i < length; i++) bytes[at + i] = source[start + i] as number
    return bytes.subarray(at, at + length)
  }
}
