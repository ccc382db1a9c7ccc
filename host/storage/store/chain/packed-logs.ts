import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { FoundLog, LogFilter, LogPosition } from '../../../evm/chain-types/log-filter.ts'
import { ByteReader } from '../codec/byte-reader.ts'
import { LOG_ROW, locateLogs, topicOffset } from '../codec/receipt-codec.ts'

const ADDRESS = 20
const WORD = 32

/**
 * The logs of a block, found in its stored receipts. A filter is matched against those bytes, and only matching logs
 * are decoded.
 */
export class PackedLogs {
  readonly #receipts: Uint8Array
  readonly #header: LogPosition['header']
  readonly #rows: Int32Array
  /** Logs that matched before, by their index. */
  readonly #found: FoundLog[] = []
  #foundBytes = 0

  /** @throws STORE_CORRUPTED */
  constructor({ number, hash, timestamp }: BlockHeader, receipts: Uint8Array) {
    this.#rows = locateLogs(receipts)
    // Copies: the arguments may be views of a record with the whole changeset of the block
    this.#receipts = this.#rows.length === 0 ? EMPTY_BYTES : new Uint8Array(receipts)
    this.#header = { number, hash: new Uint8Array(hash), timestamp }
  }

  /** Bytes that this holds in memory, which grow when more logs are found. */
  get bytes(): number {
    return OWN_BYTES + this.#receipts.length + this.#rows.byteLength + this.#foundBytes
  }

  /** Returns the logs that match a filter, in order: views into the stored bytes, the same each time. */
  matching(filter: LogFilter): readonly FoundLog[] {
    const found: FoundLog[] = []
    for (let row = 0; row < this.#rows.length; row += LOG_ROW) {
      if (this.#matches(filter, row)) found.push(this.#at(row))
    }
    return found
  }

  #at(row: number): FoundLog {
    const index = row / LOG_ROW
    const known = this.#found[index]
    if (known !== undefined) return known
    const found = this.#read(row)
    this.#found[index] = found
    this.#foundBytes += FOUND_BYTES
    return found
  }

  #matches({ addresses, topics }: LogFilter, row: number): boolean {
    const at = this.#rows[row + 2] as number
    if (topics.length > (this.#rows[row + 3] as number)) return false
    if (!this.#isOneOf(addresses, at, ADDRESS)) return false
    for (let position = 0; position < topics.length; position++) {
      const wanted = topics[position] as readonly Uint8Array[]
      if (!this.#isOneOf(wanted, at + topicOffset(position), WORD)) return false
    }
    return true
  }

  /** Returns true if `wanted` is empty, or contains the bytes at an offset. */
  #isOneOf(wanted: readonly Uint8Array[], at: number, length: number): boolean {
    if (wanted.length === 0) return true
    const bytes = this.#receipts
    for (const item of wanted) {
      let same = 0
      while (same < length && bytes[at + same] === item[same]) same++
      if (same === length) return true
    }
    return false
  }

  #read(row: number): FoundLog {
    const bytes = this.#receipts
    const hashAt = this.#rows[row + 1] as number
    const at = this.#rows[row + 2] as number
    const count = this.#rows[row + 3] as number
    const topics: Uint8Array[] = []
    for (let position = 0; position < count; position++) {
      const start = at + topicOffset(position)
      topics.push(bytes.subarray(start, start + WORD))
    }
    const data = new ByteReader(bytes, at + topicOffset(count) - 1).bytes()
    return {
      log: { address: bytes.subarray(at, at + ADDRESS), topics, data },
      place: {
        header: this.#header,
        transactionHash: bytes.subarray(hashAt, hashAt + WORD),
        transactionIndex: this.#rows[row] as number,
        logIndex: row / LOG_ROW,
      },
      ...(data.length <= SHORT_DATA_BYTES && { cachedJson: { json: undefined } }),
    }
  }
}

/** Approximate bytes of the object itself and its header. */
const OWN_BYTES = 512

/** Bytes of a log that was found, with its JSON. */
const FOUND_BYTES = 2048

/** The JSON of a log with more data is not cached: it may have megabytes. */
const SHORT_DATA_BYTES = 256
