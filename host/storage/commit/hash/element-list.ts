/** Elements of a lattice hash, packed for `LatticeHasher`: LE32 length and key, LE32 length and value. */
export class ElementList {
  #bytes = new Uint8Array(64 * 1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  clear(): void {
    this.#length = 0
  }

  /** Appends the element whose key is `prefix` followed by `key`. */
  add(prefix: Uint8Array, key: Uint8Array, value: Uint8Array): void {
    const keyLength = prefix.length + key.length
    this.#reserve(8 + keyLength + value.length)
    this.#view.setUint32(this.#length, keyLength, true)
    this.#bytes.set(prefix, this.#length + 4)
    this.#bytes.set(key, this.#length + 4 + prefix.length)
    this.#length += 4 + keyLength
    this.#view.setUint32(this.#length, value.length, true)
    this.#bytes.set(value, this.#length + 4)
    this.#length += 4 + value.length
  }

  /** The elements added: a view, valid until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}
