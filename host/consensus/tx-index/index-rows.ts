/** Blocks whose rows lie together: what is written lands in one place, and what is too old leaves as one. */
export const SECTION = 4096

/** Bytes of a hash that are kept: whoever looks one up compares the whole with the transaction. */
const HASH_BYTES = 16

/** What a row finds a transaction by. */
export const KIND = { HASH: 0, SENDER: 1, RECIPIENT: 2 } as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** The place of a transaction among those of its block that ran. */
export interface IndexedPlace {
  readonly height: number
  readonly index: number
}

/** Behind the item: the height within the section, and the place in the block. */
const SUFFIX = 6
const PREFIX = 5

function itemOf(kind: Kind, item: Uint8Array): Uint8Array {
  return kind === KIND.HASH ? item.subarray(0, HASH_BYTES) : item
}

/** Key of the row of one transaction; rows have no values. */
export function encodeRow(kind: Kind, item: Uint8Array, place: IndexedPlace): Buffer {
  const kept = itemOf(kind, item)
  const key = Buffer.allocUnsafe(PREFIX + kept.length + SUFFIX)
  key.writeUInt32BE(Math.floor(place.height / SECTION), 0)
  key[4] = kind
  key.set(kept, PREFIX)
  key.writeUInt16BE(place.height % SECTION, PREFIX + kept.length)
  key.writeUInt32BE(place.index, PREFIX + kept.length + 2)
  return key
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
