import { concatBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { encodeHeaderRow, encodeTransactions } from './block-codec.ts'
import type { BlockRecord } from './block-record.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { encodeChangeset } from './changeset-codec.ts'
import { encodeReceipts } from './receipt-codec.ts'

/** "LSR" and the format version, big-endian, before the parts. The log's frame has the checksum. */
const MAGIC = 0x4c535202
const RECORD_HEADER = 4

/** The parts of a block, each encoded as in its table. */
export interface BlockParts {
  readonly height: number
  readonly header: Uint8Array
  readonly transactions: Uint8Array
  /** Transaction hashes, 32 bytes each. */
  readonly hashes: Uint8Array
  readonly receipts: Uint8Array
}

/** A record's parts: the write-ahead log and the tables use the same bytes. */
export interface RecordParts extends BlockParts {
  readonly changeset: Uint8Array
}

/** Copies the parts of a block to shared memory. */
export function shareParts({ height, ...parts }: BlockParts): BlockParts {
  const share = (part: Uint8Array): Uint8Array => {
    const copy = new Uint8Array(new SharedArrayBuffer(part.length))
    copy.set(part)
    return copy
  }
  return {
    height,
    header: share(parts.header),
    transactions: share(parts.transactions),
    hashes: share(parts.hashes),
    receipts: share(parts.receipts),
  }
}

export interface EncodedRecord {
  /** The whole record, as in the write-ahead log. */
  readonly bytes: Uint8Array
  /** Views into `bytes`. */
  readonly parts: RecordParts
}

export function encodeRecord(record: BlockRecord): EncodedRecord {
  const { executed } = record
  const { block, packed } = executed
  const parts = [
    encodeHeaderRow(block.header),
    encodeTransactions(block),
    packed?.hashes ?? concatBytes(executed.transactionHashes),
    packed?.receipts ?? encodeReceipts(executed.receipts),
    encodeChangeset(record.changeset),
  ]
  let size = RECORD_HEADER + 16
  for (const part of parts) size += part.length + 8
  const writer = new ByteWriter(size)
  writer.raw(new Uint8Array(RECORD_HEADER))
  writer.uint(record.changeset.height)
  for (const part of parts) writer.bytes(part)
  const bytes = writer.finish()
  new DataView(bytes.buffer, bytes.byteOffset, RECORD_HEADER).setUint32(0, MAGIC)
  return { bytes, parts: readParts(bytes) }
}

/**
 * Decodes the parts of a record of the write-ahead log. @throws STORE_CORRUPTED if its format or height is
 * unexpected.
 */
export function decodeRecord(height: number, bytes: Uint8Array): RecordParts {
  if (bytes.length < RECORD_HEADER) throw corrupted(height, 'it ends too early')
  const magic = new DataView(bytes.buffer, bytes.byteOffset, RECORD_HEADER).getUint32(0)
  if (magic !== MAGIC) throw corrupted(height, `format 0x${magic.toString(16)} is not known`)
  const parts = readParts(bytes)
  if (parts.height !== height) throw corrupted(height, `it says it is of height ${parts.height}`)
  return parts
}

function readParts(bytes: Uint8Array): RecordParts {
  const reader = new ByteReader(bytes.subarray(RECORD_HEADER))
  const parts = {
    height: reader.uint(),
    header: reader.bytes(),
    transactions: reader.bytes(),
    hashes: reader.bytes(),
    receipts: reader.bytes(),
    changeset: reader.bytes(),
  }
  reader.finish()
  return parts
}

function corrupted(height: number, what: string): LockstepError {
  return new LockstepError(
    'STORE_CORRUPTED',
    `write-ahead log: record of height ${height} cannot be read: ${what}`,
    { data: { height } },
  )
}
