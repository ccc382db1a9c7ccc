import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import { goText } from '../../base/utf8.ts'

/** A row of a module: a slot of its precompile's account. */
export interface ModuleRow {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** 32 bytes. */
  readonly value: Uint8Array
}

/** Resolves with the row at a key; zeros if there is none. */
export type ReadRow = (key: Uint8Array) => Promise<Uint8Array>

/** Maximum bytes of a string in one row. The row's last byte is its size, or `LONG_TEXT` if more rows follow. */
const SHORT_TEXT = 31
const LONG_TEXT = 0xff

const four = (value: number): Uint8Array => bigintToBytes(BigInt(value), 4)

/**
 * Returns the rows of a string (assembly/module/row-text.ts); none if it is empty.
 * @param key of the first row. Its last four bytes must be zero; they number the other rows.
 */
export function textRows(key: Uint8Array, text: string): ModuleRow[] {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length === 0) return []
  const head = new Uint8Array(32)
  if (bytes.length <= SHORT_TEXT) {
    head.set(bytes)
    head[31] = bytes.length
    return [{ key, value: head }]
  }
  head.set(four(bytes.length))
  head[31] = LONG_TEXT
  const rows: ModuleRow[] = [{ key, value: head }]
  for (let from = 0; from < bytes.length; from += 32) {
    const chunkKey = key.slice()
    chunkKey.set(four(rows.length), 28)
    const value = new Uint8Array(32)
    value.set(bytes.subarray(from, from + 32))
    rows.push({ key: chunkKey, value })
  }
  return rows
}

/** Resolves with the string whose first row is at a key. */
export async function readRowText(read: ReadRow, key: Uint8Array): Promise<string> {
  const row = await read(key)
  const size = row[SHORT_TEXT] as number
  if (size !== LONG_TEXT) return goText(row.subarray(0, size))
  const length = Number(bytesToBigint(row.subarray(0, 4)))
  const bytes = new Uint8Array(Math.ceil(length / 32) * 32)
  for (let chunk = 1; (chunk - 1) * 32 < length; chunk++) {
    const chunkKey = key.slice()
    chunkKey.set(four(chunk), 28)
    bytes.set(await read(chunkKey), (chunk - 1) * 32)
  }
  return goText(bytes.subarray(0, length))
}
