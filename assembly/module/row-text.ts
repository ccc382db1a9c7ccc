import { copyBytes } from '../u256/bytes'
import { overflow } from './call'
import { ROW_TEXT, ROW_TEXT_SIZE } from './layout'
import { readRow, wantRow, writeRow } from './state'

/**
 * Texts in rows. The row under the key itself holds up to 31 bytes, with their number in its last byte. For a longer
 * text it has 0xff there and the size (u32) in front; the bytes follow in rows 1, 2, ... by the last four bytes of
 * the key.
 */
const SHORT: usize = 31
const LONG: u8 = 0xff

const KEY: usize = memory.data(32, 8)
const ROW: usize = memory.data(32, 8)

/** Size of the last text read. */
export let rowTextSize: usize = 0

function chunkKey(key: usize, chunk: u32): usize {
  copyBytes(KEY, key, 32)
  store<u32>(KEY, bswap(chunk), 28)
  return KEY
}

/** Reads a text to ROW_TEXT and sets `rowTextSize`, which is 0 for an absent text. */
export function readRowText(id: u32, key: usize): usize {
  const row = readRow(id, chunkKey(key, 0))
  rowTextSize = load<u8>(row, 31)
  if (rowTextSize <= SHORT) {
    copyBytes(ROW_TEXT, row, rowTextSize)
    return ROW_TEXT
  }
  rowTextSize = bswap(load<u32>(row))
  if (rowTextSize > ROW_TEXT_SIZE) {
    rowTextSize = 0
    overflow()
    return ROW_TEXT
  }
  const chunks = u32((rowTextSize + 31) >> 5)
  for (let i: u32 = 1; i <= chunks; i++) wantRow(id, chunkKey(key, i))
  for (let i: u32 = 1; i <= chunks; i++) {
    const chunk = readRow(id, chunkKey(key, i))
    copyBytes(ROW_TEXT + (usize(i - 1) << 5), chunk, 32)
  }
  return ROW_TEXT
}

/** Writes a text of at most ROW_TEXT_SIZE bytes, and clears the rest of a longer one. */
export function writeRowText(id: u32, key: usize, text: usize, size: usize): void {
  if (size > ROW_TEXT_SIZE) return overflow()
  readRowText(id, key)
  const before = rowTextSize <= SHORT ? 0 : u32((rowTextSize + 31) >> 5)
  const after = size <= SHORT ? 0 : u32((size + 31) >> 5)
  memory.fill(ROW, 0, 32)
  if (after == 0) {
    copyBytes(ROW, text, size)
    store<u8>(ROW, u8(size), 31)
  } else {
    store<u32>(ROW, bswap(u32(size)))
    store<u8>(ROW, LONG, 31)
  }
  writeRow(id, chunkKey(key, 0), ROW)
  for (let i: u32 = 1; i <= max<u32>(before, after); i++) {
    memory.fill(ROW, 0, 32)
    const at = usize(i - 1) << 5
    if (at < size && after != 0) copyBytes(ROW, text + at, min(size - at, 32))
    writeRow(id, chunkKey(key, i), ROW)
  }
}
