import { crc32 } from 'node:zlib'
import { concatBytes } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import { encodeHeader, encodeTransactions } from './block-codec.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { encodeChangeset } from './changeset-codec.ts'
import { encodeReceipts } from './receipt-codec.ts'
import type { BlockRecord } from './storage.ts'

/** "LSR" and the version of the format. */
const MAGIC = 0x4c535202
/** Magic, CRC-32 of what follows the header, its length; big-endian words. */
const RECORD_HEADER = 12

/** A record's parts, each encoded as its table keeps it: the log's bytes are the tables' bytes. */
export interface RecordParts {
  readonly height: number
  readonly header: Uint8Array
  readonly transactions: Uint8Array
  /** Transaction hashes, 32 bytes each. */
  readonly hashes: Uint8Array
  readonly receipts: Uint8Array
  readonly changeset: Uint8Array
}

export interface EncodedRecord {
  /** The whole record, as the log holds it. */
  readonly bytes: Uint8Array
  /** Views into `bytes`. */
  readonly parts: RecordParts
}

export function encodeRecord(record: BlockRecord): EncodedRecord {
  const { block, transactionHashes, receipts } = record.executed
  const parts = [
    encodeHeader(block.header),
    encodeTransactions(block),
    concatBytes(transactionHashes),
    encodeReceipts(receipts),
    encodeChangeset(record.changeset),
  ]
  let size = RECORD_HEADER + 16
  for (const part of parts) size += part.length + 8
  const writer = new ByteWriter(size)
  writer.raw(new Uint8Array(RECORD_HEADER))
  writer.uint(record.changeset.height)
  for (const part of parts) writer.bytes(part)
  const bytes = writer.finish()
  const header = new DataView(bytes.buffer, bytes.byteOffset, RECORD_HEADER)
  header.setUint32(0, MAGIC)
  header.setUint32(4, crc32(bytes.subarray(RECORD_HEADER)))
  header.setUint32(8, bytes.length - RECORD_HEADER)
  return { bytes, parts: readParts(bytes) }
}

/** The parts of a log record. @throws STORE_CORRUPTED when length, checksum or height differ. */
export function decodeRecord(height: number, bytes: Uint8Array): RecordParts {
  if (bytes.length < RECORD_HEADER) throw corrupted(height, 'it ends too early')
  const view = new DataView(bytes.buffer, bytes.byteOffset, RECORD_HEADER)
  const magic = view.getUint32(0)
  if (magic !== MAGIC) throw corrupted(height, `format 0x${magic.toString(16)} is not known`)
  if (bytes.length !== RECORD_HEADER + view.getUint32(8)) {
    throw corrupted(height, 'its length is wrong')
  }
  if (crc32(bytes.subarray(RECORD_HEADER)) !== view.getUint32(4)) {
    throw corrupted(height, 'its checksum is wrong')
  }
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
