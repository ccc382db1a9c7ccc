import { isZero } from '../../../host/base/bytes.ts'
import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import {
  type TableName,
  type TableRow,
  writeRows,
} from '../../../host/storage/store/state/table-rows.ts'
import { VERSION_BYTES, writeVersion } from '../../../host/storage/table/version.ts'

const TABLE_BYTE: Readonly<Record<TableName, number>> = {
  account: 0,
  code: 1,
  storage: 2,
  cleared: 3,
  legacy: 4,
  modules: 5,
}

/** Returns the key of a row: a byte for the table, the key, the inverted height. */
export function naiveKey(table: TableName, key: Uint8Array, height: number): Buffer {
  const row = Buffer.allocUnsafe(1 + key.length + VERSION_BYTES)
  row[0] = TABLE_BYTE[table]
  row.set(key, 1)
  writeVersion(row, 1 + key.length, height)
  return row
}

/** Returns the value of the row that a seek for `sought` found, if it has the same key. */
export function naiveValue(sought: Uint8Array, row: TableRow | undefined): Uint8Array | undefined {
  if (row === undefined || row.key.length !== sought.length) return undefined
  const length = sought.length - VERSION_BYTES
  if (Buffer.compare(row.key.subarray(0, length), sought.subarray(0, length)) !== 0)
    return undefined
  return row.value.length === 0 ? undefined : row.value
}

/** Returns the rows of a block, one by one. */
export function naiveRows({ changeset }: BlockRecord): TableRow[] {
  const rows: TableRow[] = []
  const { height } = changeset
  writeRows(changeset, {
    packed(table, { bytes, width, keyLength }) {
      for (let start = 0; start < bytes.length; start += width) {
        const value = start + keyLength
        const end = start + width
        rows.push({
          key: naiveKey(table, bytes.subarray(start, value), height),
          value: bytes.subarray(value, isZero(bytes, value, end) ? value : end),
        })
      }
    },
    row: (table, { key, value }) => {
      rows.push({ key: naiveKey(table, key, height), value })
    },
  })
  return rows
}

/** Yields rows of an import at height 0, some thousand at a time. */
export function* naiveBatches(rows: Iterable<TableRow>): Generator<TableRow[], void> {
  let batch: TableRow[] = []
  for (const { key, value } of rows) {
    batch.push({ key: naiveKey('account', key, 0), value })
    if (batch.length < 10_000) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
