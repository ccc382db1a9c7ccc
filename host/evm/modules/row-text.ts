import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import { goText } from '../../base/utf8.ts'

/** A row of a module: a slot of its precompile's account. */
export interface Row {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** 32 bytes. */
  readonly value: Uint8Array
}

/** The row under a key; zeros for one that is not there. */
export type ReadRow = (key: Uint8Array) => Promise<Uint8Array>

/** Bytes of a text that one row holds; the last byte is their number, and `LONG_TEXT` says that more rows hold them. */
const SHORT_TEXT = 31
const LONG_TEXT = 0xff

const four = (value: number): Uint8Array => bigintToBytes(BigInt(value), 4)

/**
 * The rows of a text (assembly/module/row-text.ts): none for an empty one.
 * @param key of its first row; the last four bytes, which are zero, number the others
 */
export function textRows(key: Uint8Array, text: string): Row[] {
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
  const rows: Row[] = [{ key, value: head }]
  for (let from = 0; from < bytes.length; from += 32) {
    const chunkKey = key.slice()
    chunkKey.set(four(rows.length), 28)
    const value = new Uint8Array(32)
    value.set(bytes.subarray(from, from + 32))
    rows.push({ key: chunkKey, value })
  }
  return rows
}

/** The text whose first row is under a key. */
export async function readText(read: ReadRow, key: Uint8Array): Promise<string> {
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
