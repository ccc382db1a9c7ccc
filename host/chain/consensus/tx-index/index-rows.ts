import { requireCount } from '../../../base/writable.ts'

/** Blocks per section. Rows of a section are adjacent: writes stay local, and old rows are deleted together. */
export const SECTION = 4096

/** Stored prefix of a hash in bytes. A lookup compares the full hash with the transaction. */
export const HASH_PREFIX_BYTES = 16

/** What a row indexes a transaction by. */
export const ROW_KIND = { HASH: 0, SENDER: 1, RECIPIENT: 2 } as const

export type RowKind = (typeof ROW_KIND)[keyof typeof ROW_KIND]

/** Position of a transaction among those of its block that ran. */
export interface IndexedPosition {
  readonly height: number
  readonly index: number
}

/** Bytes before the item (section and kind) and after it (height within the section, and index in the block). */
export const PREFIX = 5
export const SUFFIX = 6

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
export function writeAround(
  rows: Buffer,
  at: number,
  kind: RowKind,
  itemLength: number,
  height: number,
  index: number,
): void {
  requireCount(height, 'a height', SECTION * 2 ** 32 - 1)
  requireCount(index, 'an index', 2 ** 32 - 1)
  rows.writeUInt32BE(Math.floor(height / SECTION), at)
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

/** Returns the key that bounds the rows of all sections before `section`. */
export function sectionStart(section: number): Buffer {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(section)
  return key
}
