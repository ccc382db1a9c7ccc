import { crc32 } from 'node:zlib'
import { LockstepError } from '../../base/error.ts'
import { requireCount } from '../../base/writable.ts'

/**
 * A segment is an immutable file of rows (key, height) -> value, sorted by key ascending bytewise, then by height
 * descending. No key is a prefix of another. All numbers except the version are little-endian. The file, from its
 * start:
 *
 * - Data blocks, concatenated; at least one row each, at most BLOCK_BYTES unless one row is larger:
 *   - rows, each: u16 key length; u16 bytes of padding (0 to 3); key; version (8 bytes, version.ts);
 *     value (empty: a tombstone); zeros up to a multiple of 4 bytes.
 *   - for each row, u16: its offset in the block in units of 4 bytes; two zeros if the number of rows is odd.
 *   - u32: rows; u32: CRC-32 of the block up to here.
 * - Index: u64 for each block, its offset in the file, and one more for the end of the last; u32 for each
 *   block, the end of its separator among the separators; the separators. A separator is the shortest
 *   prefix of the block's first key and version that is above the last key and version before it.
 * - Filter: blocks of 64 bytes (key-filter.ts).
 * - Footer, FOOTER_BYTES: u64 rows; u64 distinct keys; u64 lowest height; u64 highest height; u64 offset
 *   of the index; u64 offset of the filter; u32 blocks; u32 bytes of separators; u32 CRC-32 of the
 *   index; u32 CRC-32 of the filter; u32 seed of the filter; u32 format version; u32 CRC-32 of the
 *   footer up to here; 8 bytes magic.
 */

/**
 * Blocks of 8 or 16 KiB make neither lookups, which are dominated by the system call, nor compaction faster. The
 * smallest size reads the fewest unneeded bytes.
 */
export const BLOCK_BYTES = 4096

/** Bytes after a block's row offsets. */
export const BLOCK_TRAILER_BYTES = 8
/** Bytes before a row's key. */
export const ROW_HEADER_BYTES = 4
export const MAX_KEY_BYTES = 0xffff

const MAGIC = new TextEncoder().encode('LKSTPSEG')
const FORMAT_VERSION = 1
const CRC_OFFSET = 72
const MAGIC_OFFSET = CRC_OFFSET + 4
export const FOOTER_BYTES = MAGIC_OFFSET + 8

/** Counts and heights of a segment. An empty segment has heights of 0. */
export interface SegmentSummary {
  /** Versions, tombstones included. */
  readonly rows: number
  /** Distinct keys. */
  readonly keys: number
  /** Size of the file. */
  readonly bytes: number
  readonly lowest: number
  readonly highest: number
}

export interface Footer {
  readonly rows: number
  readonly keys: number
  readonly lowest: number
  readonly highest: number
  readonly indexOffset: number
  readonly filterOffset: number
  readonly blocks: number
  readonly separatorBytes: number
  readonly indexCrc: number
  readonly filterCrc: number
  readonly filterSeed: number
}

/** Returns the bytes of the index of `blocks` blocks. */
export function indexBytes(blocks: number, separatorBytes: number): number {
  return 8 * (blocks + 1) + 4 * blocks + separatorBytes
}

/** @returns STORE_CORRUPTED with the file and the offset of the damaged part. */
export function damage(path: string, offset: number, what: string): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `segment ${path}: offset ${offset}: ${what}`, {
    data: { path, offset },
  })
}

export function encodeFooter(footer: Footer): Uint8Array {
  const bytes = new Uint8Array(FOOTER_BYTES)
  const view = new DataView(bytes.buffer)
  const { rows, keys, lowest, highest, indexOffset, filterOffset } = footer
  for (const [i, value] of [rows, keys, lowest, highest, indexOffset, filterOffset].entries()) {
    requireCount(value, 'a number of a segment')
    view.setBigUint64(8 * i, BigInt(value), true)
  }
  const { blocks, separatorBytes, indexCrc, filterCrc, filterSeed } = footer
  for (const word of [blocks, separatorBytes, indexCrc, filterCrc, filterSeed]) {
    requireCount(word, 'a word of a segment', 2 ** 32 - 1)
  }
  view.setUint32(48, footer.blocks, true)
  view.setUint32(52, footer.separatorBytes, true)
  view.setUint32(56, footer.indexCrc, true)
  view.setUint32(60, footer.filterCrc, true)
  view.setUint32(64, footer.filterSeed, true)
  view.setUint32(68, FORMAT_VERSION, true)
  view.setUint32(CRC_OFFSET, crc32(bytes.subarray(0, CRC_OFFSET)), true)
  bytes.set(MAGIC, MAGIC_OFFSET)
  return bytes
}

/**
 * Decodes the last FOOTER_BYTES of a file of `size` bytes.
 * @throws STORE_CORRUPTED
 */
export function decodeFooter(path: string, bytes: Uint8Array, size: number): Footer {
  const offset = size - FOOTER_BYTES
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (MAGIC.some((byte, i) => bytes[MAGIC_OFFSET + i] !== byte)) {
    throw damage(path, offset + MAGIC_OFFSET, 'not the end of a segment')
  }
  if (crc32(bytes.subarray(0, CRC_OFFSET)) !== view.getUint32(CRC_OFFSET, true)) {
    throw damage(path, offset, 'the footer does not match its checksum')
  }
  const version = view.getUint32(68, true)
  if (version !== FORMAT_VERSION) {
    throw damage(path, offset, `format version ${version}, not ${FORMAT_VERSION}`)
  }
  const long = (at: number): number => Number(view.getBigUint64(at, true))
  const footer: Footer = {
    rows: long(0),
    keys: long(8),
    lowest: long(16),
    highest: long(24),
    indexOffset: long(32),
    filterOffset: long(40),
    blocks: view.getUint32(48, true),
    separatorBytes: view.getUint32(52, true),
    indexCrc: view.getUint32(56, true),
    filterCrc: view.getUint32(60, true),
    filterSeed: view.getUint32(64, true),
  }
  const index = indexBytes(footer.blocks, footer.separatorBytes)
  const filter = offset - footer.filterOffset
  if (footer.indexOffset + index !== footer.filterOffset || filter < 64 || filter % 64 !== 0) {
    throw damage(path, offset, `its sections do not add up to ${size} bytes`)
  }
  return footer
}
