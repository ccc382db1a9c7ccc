import { crc32 } from 'node:zlib'
import { requireCount, requireLength } from '../../../base/writable.ts'

/** A transaction as the journal stores it. */
export interface PooledRecord {
  readonly raw: Uint8Array
  readonly from: Uint8Array
  /** Arrival: milliseconds since 1970, and the latest height then. */
  readonly time: number
  readonly height: number
}

/** Precedes each record, so that reading can resume after a damaged one. */
const MARK = Uint8Array.of(0xf7, 0x54, 0x58, 0x0a)
/** The mark, the length after the checksum, and the CRC-32 of that part. */
const FRAME = MARK.length + 4 + 4
/** Time and height of arrival, and the sender. */
const SENDER = 20
const FIXED = 8 + 8 + SENDER

/** Bytes that a journal record adds to a transaction. */
export const RECORD_OVERHEAD = FRAME + FIXED

export interface ReadRecords {
  readonly records: readonly PooledRecord[]
  /** Bytes outside complete records: cut short by a crash, or damaged. */
  readonly lost: number
}

/** Returns the concatenated records. All numbers are little-endian. */
export function encodeRecords(records: readonly PooledRecord[]): Uint8Array {
  let size = 0
  for (const { raw } of records) size += RECORD_OVERHEAD + raw.length
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const { raw, from, time, height } of records) {
    requireLength(from, SENDER, 'a sender')
    requireCount(time, 'a time')
    requireCount(height, 'a height')
    const body = at + FRAME
    const end = at + RECORD_OVERHEAD + raw.length
    bytes.set(MARK, at)
    view.setFloat64(body, time, true)
    view.setFloat64(body + 8, height, true)
    bytes.set(from, body + 16)
    bytes.set(raw, body + FIXED)
    view.setUint32(at + MARK.length, end - body, true)
    view.setUint32(at + MARK.length + 4, crc32(bytes.subarray(body, end)), true)
    at = end
  }
  return bytes
}

/** Returns the record at `start`; undefined if none starts there or its checksum is wrong. */
function recordAt(bytes: Buffer, start: number): PooledRecord | undefined {
  if (start + RECORD_OVERHEAD > bytes.length) return undefined
  const length = bytes.readUInt32LE(start + MARK.length)
  const body = start + FRAME
  if (length < FIXED || body + length > bytes.length) return undefined
  const contents = bytes.subarray(body, body + length)
  if (crc32(contents) !== bytes.readUInt32LE(start + MARK.length + 4)) return undefined
  return {
    time: contents.readDoubleLE(0),
    height: contents.readDoubleLE(8),
    from: new Uint8Array(contents.subarray(16, FIXED)),
    raw: new Uint8Array(contents.subarray(FIXED)),
  }
}

/** Returns every complete record, skipping any bytes between them. */
export function readRecords(bytes: Buffer): ReadRecords {
  const records: PooledRecord[] = []
  let whole = 0
  for (let at = bytes.indexOf(MARK); at >= 0; ) {
    const record = recordAt(bytes, at)
    const size = record === undefined ? 1 : RECORD_OVERHEAD + record.raw.length
    if (record !== undefined) {
      records.push(record)
      whole += size
    }
    at = bytes.indexOf(MARK, at + size)
  }
  return { records, lost: bytes.length - whole }
}
