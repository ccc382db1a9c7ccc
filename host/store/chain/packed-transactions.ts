import { ByteReader } from '../codec/byte-reader.ts'

/** The transactions of a block as they are stored, found one at a time: views into the stored bytes. */
export class PackedTransactions {
  readonly length: number
  readonly #reader: ByteReader
  readonly #found: Uint8Array[] = []

  /** @throws STORE_CORRUPTED; so does `at`. */
  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes)
    this.length = this.#reader.uint()
  }

  at(index: number): Uint8Array | undefined {
    if (index < 0 || index >= this.length) return undefined
    while (this.#found.length <= index) this.#found.push(this.#reader.bytes())
    return this.#found[index]
  }
}
