/** Bytes of an array that copies share. */
const SLAB_BYTES = 64 * 1024

/** Bytes that are copied one by one: a view of the source would take longer. */
const SHORT = 64

/**
 * Copies that are needed as long as each other, as what a block keeps of its transactions: many share an array, which
 * stays while one of them does. An array for each costs some 200 ns and as many bytes of what is collected.
 */
export class Slab {
  #bytes = new Uint8Array(0)
  #at = 0

  /** A copy of the bytes from `start` up to `end`. */
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
