import { requireCount } from '../../../base/writable.ts'

/** Blocks whose rows lie together: what is written lands in one place, and what is too old leaves as one. */
export const SECTION = 4096

/** Bytes of a hash that are kept: whoever looks one up compares the whole with the transaction. */
export const HASH_BYTES = 16

/** What a row finds a transaction by. */
export const KIND = { HASH: 0, SENDER: 1, RECIPIENT: 2 } as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** The place of a transaction among those of its block that ran. */
export interface IndexedPlace {
  readonly height: number
  readonly index: number
}

/** Before the item: the section and the kind; behind it: the height within the section, and the place in the block. */
export const PREFIX = 5
export const SUFFIX = 6

function itemOf(kind: Kind, item: Uint8Array): Uint8Array {
  return kind === KIND.HASH ? item.subarray(0, HASH_BYTES) : item
}

/** Key of the row of one transaction; rows have no values. */
export function encodeRow(kind: Kind, item: Uint8Array, place: IndexedPlace): Buffer {
  const kept = itemOf(kind, item)
  const key = Buffer.allocUnsafe(PREFIX + kept.length + SUFFIX)
  key.set(kept, PREFIX)
  writeAround(key, 0, kind, kept.length, place.height, place.index)
  return key
}

/** Writes what stands around an item of so many bytes in the row that begins at an offset. */
export function writeAround(
  rows: Buffer,
  at: number,
  kind: Kind,
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

export function decodePlace(key: Uint8Array): IndexedPlace {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  return {
    height: view.getUint32(0) * SECTION + view.getUint16(key.length - SUFFIX),
    index: view.getUint32(key.length - 4),
  }
}

/** Bounds of the rows of an item within a section. */
export function itemRange(section: number, kind: Kind, item: Uint8Array) {
  const height = section * SECTION
  return {
    start: encodeRow(kind, item, { height, index: 0 }),
    end: encodeRow(kind, item, { height: height + SECTION - 1, index: 0xffffffff }),
  }
}

/** The key below which all rows of the sections before `section` lie. */
export function sectionStart(section: number): Buffer {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(section)
  return key
}
