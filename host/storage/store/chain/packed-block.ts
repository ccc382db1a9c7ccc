import { concatBytes } from '../../../base/bytes.ts'
import type { EthereumBody } from '../../../evm/chain-types/block.ts'
import { decodeBody } from '../../../evm/chain-types/ethereum-block.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import { ByteReader } from '../codec/byte-reader.ts'
import { readReceipt, receiptHashes, skipReceipt } from '../codec/receipt-codec.ts'
import type { IndexedReceipt } from './chain-store.ts'

/** Yields encoded receipts in order, decoded one by one. @throws STORE_CORRUPTED */
export function* eachPacked(receipts: Uint8Array): Generator<Receipt, void> {
  const reader = new ByteReader(receipts)
  for (let rest = reader.uint(); rest > 0; rest--) yield readReceipt(reader)
  reader.finish()
}

/** Returns the transaction hashes of encoded receipts, concatenated. @throws STORE_CORRUPTED */
export function packedHashes(receipts: Uint8Array): Uint8Array {
  return concatBytes(receiptHashes(receipts))
}

/** Returns what follows the transactions of a stored block. @throws STORE_CORRUPTED */
export function packedBody(transactions: Uint8Array): EthereumBody | undefined {
  const reader = new ByteReader(transactions)
  for (let rest = reader.uint(); rest > 0; rest--) reader.skipBytes()
  if (reader.isAtEnd) return undefined
  const body = decodeBody(reader.bytes())
  reader.finish()
  return body
}

/** The transactions of a stored block, accessed one at a time: views into the stored bytes. */
export class PackedBlockTransactions {
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
 * The receipts of a stored block, decoded one at a time. Finding a receipt skips those before it, once: a tenth of
 * the time that decoding 5,000 takes.
 */
export class PackedReceipts {
  readonly length: number
  readonly #bytes: Uint8Array
  readonly #reader: ByteReader
  /** Of each receipt skipped: its offset, and the number of logs of the block before its own. */
  readonly #offsets: number[] = []
  readonly #firstLogs: number[] = []
  #logs = 0

  /** @throws STORE_CORRUPTED; so does `at`. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#reader = new ByteReader(bytes)
    this.length = this.#reader.uint()
  }

  at(index: number): IndexedReceipt | undefined {
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
