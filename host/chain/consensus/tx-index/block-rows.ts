import { sortPacked } from '../../../storage/table/row-sort.ts'
import { writeSha256 } from '../comet/sha256.ts'
import { ADDRESS, type IndexBlock } from './index-block.ts'
import { HASH_BYTES, KIND, type Kind, PREFIX, SECTION, SUFFIX, writeAround } from './index-rows.ts'

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
    for (const kind of Object.values(KIND)) visitInOrder(packRows(together, kind), visit)
  }
}

function sectionOf(block: IndexBlock | undefined): number {
  return Math.floor((block?.height ?? 0) / SECTION)
}

function packRows(blocks: readonly IndexBlock[], kind: Kind): PackedRows {
  const count = blocks.reduce((sum, { ends }) => sum + ends.length, 0)
  const itemLength = kind === KIND.HASH ? HASH_BYTES : ADDRESS
  const width = PREFIX + itemLength + SUFFIX
  const bytes = Buffer.allocUnsafe(count * width)
  let at = 0
  for (const { height, transactions, ends, parties } of blocks) {
    let start = 0
    for (let index = 0; index < ends.length; index++, at += width) {
      const end = ends[index] as number
      if (kind === KIND.HASH) {
        writeSha256(bytes, at + PREFIX, HASH_BYTES, transactions.subarray(start, end))
      } else {
        const party = (2 * index + (kind === KIND.SENDER ? 0 : 1)) * ADDRESS
        for (let i = 0; i < ADDRESS; i++) bytes[at + PREFIX + i] = parties[party + i] as number
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
