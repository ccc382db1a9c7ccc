import { crc32 } from 'node:zlib'
import { requireCount, requireLength } from '../../../base/writable.ts'
import { crcBehind } from '../../table/checksum.ts'

/** Mark of the log (8), height (8), length of the record (4), CRC-32 of these and the record (4). */
export const FRAME_HEADER = 24
export const MARK_BYTES = 8
const CHECKED = 20

export interface WalFrame {
  readonly height: number
  readonly length: number
}

/**
 * Returns the header of a record in a file of the write-ahead log. `mark` is random for each log, so that bytes in a
 * record cannot be made to look like a frame.
 */
export function frameHeader(mark: Uint8Array, height: number, record: Uint8Array): Uint8Array {
  requireLength(mark, MARK_BYTES, 'a mark')
  requireCount(height, 'a height')
  const header = Buffer.alloc(FRAME_HEADER)
  header.set(mark)
  header.writeBigUInt64BE(BigInt(height), 8)
  header.writeUInt32BE(record.length, 16)
  header.writeUInt32BE(crcBehind(crc32(header.subarray(0, CHECKED)), record), CHECKED)
  return header
}

/** Returns the frame at `offset`, or undefined if it is incomplete or its checksum is wrong. */
export function frameAt(bytes: Buffer, offset: number): WalFrame | undefined {
  const start = offset + FRAME_HEADER
  if (start > bytes.length) return undefined
  const height = bytes.readBigUInt64BE(offset + 8)
  const length = bytes.readUInt32BE(offset + 16)
  if (start + length > bytes.length || height > Number.MAX_SAFE_INTEGER) return undefined
  const before = crc32(bytes.subarray(offset, offset + CHECKED))
  const checksum = crcBehind(before, bytes.subarray(start, start + length))
  if (checksum !== bytes.readUInt32BE(offset + CHECKED)) return undefined
  return { height: Number(height), length }
}

export interface FrameScan {
  /** Offsets of the frames, from the first one. */
  readonly offsets: number[]
  /** End of the last frame. */
  readonly end: number
  /** What is there instead of the next frame; undefined at the end of the bytes. */
  readonly broken: 'torn' | 'followed' | 'misplaced' | undefined
}

/**
 * Finds the frames of a file, whose heights ascend from `first`. If they break off before the end, the rest is `torn`
 * if no frame follows, `followed` if one does, and `misplaced` if it is a whole frame of another height.
 */
export function scanFrames(bytes: Buffer, mark: Uint8Array, first: number): FrameScan {
  const offsets: number[] = []
  let end = 0
  while (end < bytes.length) {
    const isMarked = bytes.subarray(end, end + MARK_BYTES).equals(mark)
    const frame = isMarked ? frameAt(bytes, end) : undefined
    if (frame === undefined) {
      return { offsets, end, broken: hasFrameBehind(bytes, mark, end) ? 'followed' : 'torn' }
    }
    if (frame.height !== first + offsets.length) return { offsets, end, broken: 'misplaced' }
    offsets.push(end)
    end += FRAME_HEADER + frame.length
  }
  return { offsets, end, broken: undefined }
}

function hasFrameBehind(bytes: Buffer, mark: Uint8Array, offset: number): boolean {
  for (let at = bytes.indexOf(mark, offset + 1); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    if (frameAt(bytes, at) !== undefined) return true
  }
  return false
}
