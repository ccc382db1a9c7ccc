import { requireBits, requireCount, requireLength } from '../../../base/writable.ts'

const ADDRESS = 20
const HASH = 32
const NONCE = 8
const HEIGHT = 6
const INDEX = 4

/** Bytes after the item of a key: height and index of the transaction, so that the keys of an item ascend by both. */
const PLACE = HEIGHT + INDEX

/** Position of a transaction in the chain. */
export interface AddressRowPosition {
  readonly height: number
  readonly index: number
}

/** Roles of an address in a transaction. A row holds the sum of all. */
export const ROLE = {
  /** It sent the transaction. */
  SENDER: 1,
  /** It is the recipient of the transaction. */
  RECIPIENT: 2,
  /** The transaction, or code that it ran, created it. Failed creations do not count. */
  CREATED: 4,
  /** A call, a creation or a SELFDESTRUCT below the top-level frame came from it. */
  INTERNAL_FROM: 8,
  /** A call below the top-level frame went to it, or a SELFDESTRUCT paid it. */
  INTERNAL_TO: 16,
} as const

/** Roles that match trace_filter's `fromAddress` and `toAddress`. */
export const FROM_ROLES: number = ROLE.SENDER | ROLE.INTERNAL_FROM
export const TO_ROLES: number = ROLE.RECIPIENT | ROLE.CREATED | ROLE.INTERNAL_TO
export const ALL_ROLES: number = FROM_ROLES | TO_ROLES

/** The tables of the index, and the bytes of the item by which each finds transactions. */
export const ADDRESS_TABLES = [
  { name: 'places', item: ADDRESS },
  { name: 'nonces', item: ADDRESS + NONCE },
  { name: 'creations', item: ADDRESS },
] as const

/** Positions of tables in `ADDRESS_TABLES`. */
export const TABLE = { PLACES: 0, NONCES: 1, CREATIONS: 2 } as const

/** One row: `item` finds the transaction at `index` of the block. */
export interface AddressRow {
  readonly table: number
  readonly item: Uint8Array
  readonly index: number
  readonly value: Uint8Array
}

/** All rows of one block. */
export interface AddressBlock {
  readonly height: number
  /** Hash of the block, which detects a block that is no longer part of the chain. */
  readonly hash: Uint8Array
  readonly rows: readonly AddressRow[]
}

export function nonceItem(sender: Uint8Array, nonce: bigint): Uint8Array {
  requireBits(nonce, 64, 'a nonce')
  const item = new Uint8Array(ADDRESS + NONCE)
  item.set(sender)
  new DataView(item.buffer).setBigUint64(ADDRESS, nonce)
  return item
}

export function placeKey(item: Uint8Array, { height, index }: AddressRowPosition): Buffer {
  requireCount(height, 'a height', 2 ** (8 * HEIGHT) - 1)
  requireCount(index, 'an index', 2 ** (8 * INDEX) - 1)
  const key = Buffer.allocUnsafe(item.length + PLACE)
  key.set(item)
  key.writeUIntBE(height, item.length, HEIGHT)
  key.writeUInt32BE(index, item.length + HEIGHT)
  return key
}

export function placeIn(key: Uint8Array): AddressRowPosition {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.length)
  return {
    height: bytes.readUIntBE(bytes.length - PLACE, HEIGHT),
    index: bytes.readUInt32BE(bytes.length - INDEX),
  }
}

/** Encodes the record of a block: its hash, and the keys of its rows, so that they can be removed without the block. */
export function encodeAddressBlock({ hash, rows }: AddressBlock): Buffer {
  const length = rows.reduce((sum, { item }) => sum + 1 + item.length + INDEX, HASH)
  const record = Buffer.allocUnsafe(length)
  requireLength(hash, HASH, 'the hash of a block')
  record.set(hash)
  let at = HASH
  for (const { table, item, index } of rows) {
    requireCount(table, 'a table', ADDRESS_TABLES.length - 1)
    requireLength(item, ADDRESS_TABLES[table]?.item ?? 0, 'an item')
    requireCount(index, 'an index', 2 ** (8 * INDEX) - 1)
    record[at] = table
    record.set(item, at + 1)
    at = record.writeUInt32BE(index, at + 1 + item.length)
  }
  return record
}

export function hashIn(record: Uint8Array): Uint8Array {
  return record.subarray(0, HASH)
}

/** Yields the tables and keys of a block's rows. */
export function* keysIn(
  record: Uint8Array,
  height: number,
): Generator<{ readonly table: number; readonly key: Buffer }, void> {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length)
  let at = HASH
  while (at < bytes.length) {
    const table = bytes[at] as number
    const end = at + 1 + (ADDRESS_TABLES[table]?.item ?? bytes.length)
    const index = bytes.readUInt32BE(end)
    yield { table, key: placeKey(bytes.subarray(at + 1, end), { height, index }) }
    at = end + INDEX
  }
}
