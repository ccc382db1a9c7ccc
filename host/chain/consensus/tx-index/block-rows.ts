import { sortPacked } from '../../../storage/table/row-sort.ts'
import { writeSha256 } from '../comet/sha256.ts'
import { INDEX_ADDRESS_BYTES, type IndexBlock } from './index-block.ts'
import {
  HASH_PREFIX_BYTES,
  PREFIX,
  ROW_KIND,
  type RowKind,
  SECTION,
  SUFFIX,
  writeAround,
} from './index-rows.ts'

/** Concatenated rows of one kind. */
interface PackedRows {
  readonly bytes: Buffer
  readonly width: number
}

/**
 * Visits the row keys of blocks with ascending heights. Keys within a section are visited in order, so that
 * neighbours fall on the same page. A key is valid until the next visit.
 */
export function visitRows(blocks: readonly IndexBlock[], visit: (key: Uint8Array) => void): void {
  for (let first = 0, end = 0; first < blocks.length; first = end) {
    const section = sectionOf(blocks[first])
    while (end < blocks.length && sectionOf(blocks[end]) === section) end++
    const together = blocks.slice(first, end)
    for (const kind of Object.values(ROW_KIND)) visitInOrder(packRows(together, kind), visit)
  }
}

function sectionOf(block: IndexBlock | undefined): number {
  return Math.floor((block?.height ?? 0) / SECTION)
}

function packRows(blocks: readonly IndexBlock[], kind: RowKind): PackedRows {
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
