import { requireCount } from '../../base/writable.ts'
import { writeSha256 } from '../../chain/consensus/comet/sha256.ts'
import { sortPacked } from '../../storage/table/row-sort.ts'
import { INDEX_ADDRESS_BYTES, type SourceBlock } from './source-block.ts'

/** Blocks per section. Rows of a section are adjacent: writes stay local, and old rows are deleted together. */
export const SECTION = 4096

/** Stored prefix of a hash in bytes. A lookup compares the full hash with the transaction. */
const HASH_PREFIX_BYTES = 16

/** What a row indexes a transaction by. */
export const ROW_KIND = { HASH: 0, SENDER: 1, RECIPIENT: 2 } as const

export type RowKind = (typeof ROW_KIND)[keyof typeof ROW_KIND]

/** Position of a transaction among those of its block that ran. */
export interface IndexedPosition {
  readonly height: number
  readonly index: number
}

/** Bytes before the item (section and kind) and after it (height within the section, and index in the block). */
const PREFIX = 5
const SUFFIX = 6

function itemOf(kind: RowKind, item: Uint8Array): Uint8Array {
  return kind === ROW_KIND.HASH ? item.subarray(0, HASH_PREFIX_BYTES) : item
}

/** Returns the row key of a transaction; rows have no values. */
export function encodeRow(kind: RowKind, item: Uint8Array, place: IndexedPosition): Buffer {
  const kept = itemOf(kind, item)
  const key = Buffer.allocUnsafe(PREFIX + kept.length + SUFFIX)
  key.set(kept, PREFIX)
  writeAround(key, 0, kind, kept.length, place.height, place.index)
  return key
}

/** Writes prefix and suffix of the row at an offset, around an item of `itemLength` bytes. */
function writeAround(
  rows: Buffer,
  at: number,
  kind: RowKind,
  itemLength: number,
  height: number,
  index: number,
): void {
  requireCount(height, 'a height', SECTION * 2 ** 32 - 1)
  requireCount(index, 'an index', 2 ** 32 - 1)
  rows.writeUInt32BE(sectionOf(height), at)
  rows[at + 4] = kind
  rows.writeUInt16BE(height % SECTION, at + PREFIX + itemLength)
  rows.writeUInt32BE(index, at + PREFIX + itemLength + 2)
}

export function decodePlace(key: Uint8Array): IndexedPosition {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  return {
    height: view.getUint32(0) * SECTION + view.getUint16(key.length - SUFFIX),
    index: view.getUint32(key.length - 4),
  }
}

/** Returns the key range of an item within a section. */
export function itemRange(section: number, kind: RowKind, item: Uint8Array) {
  const height = section * SECTION
  return {
    start: encodeRow(kind, item, { height, index: 0 }),
    end: encodeRow(kind, item, { height: height + SECTION - 1, index: 0xffffffff }),
  }
}

export function sectionOf(height: number): number {
  return Math.floor(height / SECTION)
}

/** Returns the key that bounds the rows of all sections before `section`. */
export function sectionStart(section: number): Buffer {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(section)
  return key
}

/** Concatenated rows of one kind. */
interface PackedRows {
  readonly bytes: Buffer
  readonly width: number
}

/**
 * Visits the row keys of blocks with ascending heights. Keys within a section are visited in order, so that
 * neighbours fall on the same page. A key is valid until the next visit.
 */
export function visitRows(blocks: readonly SourceBlock[], visit: (key: Uint8Array) => void): void {
  for (let first = 0, end = 0; first < blocks.length; first = end) {
    const section = sectionOf(blocks[first]?.height ?? 0)
    end = blocks.findIndex(({ height }) => sectionOf(height) > section)
    if (end < 0) end = blocks.length
    const together = blocks.slice(first, end)
    for (const kind of Object.values(ROW_KIND)) visitInOrder(packRows(together, kind), visit)
  }
}

function packRows(blocks: readonly SourceBlock[], kind: RowKind): PackedRows {
  const count = blocks.reduce((sum, { ends }) => sum + ends.length, 0)
  const itemLength = kind === ROW_KIND.HASH ? HASH_PREFIX_BYTES : INDEX_ADDRESS_BYTES
  const width = PREFIX + itemLength + SUFFIX
  const bytes = Buffer.allocUnsafe(count * width)
  let at = 0
  for (const { height, transactions, ends, parties } of blocks) {
    let start = 0
    for (let index = 0; index < ends.length; index++, at += width) {
      const end = ends[index] as number
      if (kind === ROW_KIND.HASH) {
        writeSha256(bytes, at + PREFIX, HASH_PREFIX_BYTES, transactions.subarray(start, end))
      } else {
        const party = (2 * index + (kind === ROW_KIND.SENDER ? 0 : 1)) * INDEX_ADDRESS_BYTES
        for (let i = 0; i < INDEX_ADDRESS_BYTES; i++)
          bytes[at + PREFIX + i] = parties[party + i] as number
      }
      writeAround(bytes, at, kind, itemLength, height, index)
      start = end
    }
  }
  return { bytes, width }
}

function visitInOrder({ bytes, width }: PackedRows, visit: (key: Uint8Array) => void): void {
  const key = new Uint8Array(width)
  for (const row of sortPacked(bytes, width)) {
    const start = row * width
    for (let i = 0; i < width; i++) key[i] = bytes[start + i] as number
    visit(key)
  }
}
