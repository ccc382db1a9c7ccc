import { ByteReader } from '../codec/byte-reader.ts'
import { readReceipt, skipReceipt } from '../codec/receipt-codec.ts'
import type { PlacedReceipt } from './chain-store.ts'

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

/**
 * The receipts of a block as they are stored, read one at a time. The place where each begins is found by
 * passing over those before it, once: a tenth of the time that reading 5,000 takes.
 */
export class PackedReceipts {
  readonly length: number
  readonly #bytes: Uint8Array
  readonly #reader: ByteReader
  /** For each receipt passed over: its offset, and how many logs of the block stand before its own. */
  readonly #offsets: number[] = []
  readonly #firstLogs: number[] = []
  #logs = 0

  /** @throws STORE_CORRUPTED; so does `at`. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#reader = new ByteReader(bytes)
    this.length = this.#reader.uint()
  }

  at(index: number): PlacedReceipt | undefined {
    if (index < 0 || index >= this.length) return undefined
    while (this.#offsets.length <= index) {
      const { offset } = this.#reader
      const logs = skipReceipt(this.#reader)
      this.#offsets.push(offset)
      this.#firstLogs.push(this.#logs)
      this.#logs += logs
    }
    const reader = new ByteReader(this.#bytes, this.#offsets[index])
    return { receipt: readReceipt(reader), firstLogIndex: this.#firstLogs[index] as number }
  }
}
