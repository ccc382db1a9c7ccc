import { writeSha256 } from '../comet/sha256.ts'
import { ADDRESS, type IndexBlock } from './index-block.ts'
import { HASH_BYTES, KIND, type Kind, PREFIX, SECTION, SUFFIX, writeAround } from './index-rows.ts'

/** Bytes of an item that rows are sorted by first. Above the number of a row they fit a number exactly. */
const HEAD_BYTES = 3

/** Rows of one kind behind one another. */
interface PackedRows {
  readonly bytes: Buffer
  readonly width: number
  readonly count: number
}

/**
 * Visits the keys of all rows of blocks in ascending heights, those of a section in order: neighbours fall on the same
 * page. A key holds until the next.
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
  return { bytes, width, count }
}

function visitInOrder(rows: PackedRows, visit: (key: Uint8Array) => void): void {
  const { bytes, width } = rows
  const key = new Uint8Array(width)
  for (const row of orderOf(rows)) {
    const start = row * width
    for (let i = 0; i < width; i++) key[i] = bytes[start + i] as number
    visit(key)
  }
}

/**
 * The rows in the order of their keys. They are sorted as numbers first, the first bytes of an item above the row's own:
 * 70 ns a row, where comparing keys took 250.
 */
function orderOf(rows: PackedRows): Float64Array {
  const { bytes, width, count } = rows
  const order = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    order[row] = bytes.readUIntBE(row * width + PREFIX, HEAD_BYTES) * count + row
  }
  order.sort()
  for (let first = 0, end = 0; first < count; first = end) {
    const head = Math.floor((order[first] as number) / count)
    let isOrdered = true
    for (; end < count; end++) {
      const row = (order[end] as number) - head * count
      if (row >= count) break
      order[end] = row
      if (end > first && compareRows(rows, order[end - 1] as number, row) > 0) isOrdered = false
    }
    if (!isOrdered) order.subarray(first, end).sort((a, b) => compareRows(rows, a, b))
  }
  return order
}

function compareRows({ bytes, width }: PackedRows, a: number, b: number): number {
  for (let i = PREFIX; i < width; i++) {
    const difference = (bytes[a * width + i] as number) - (bytes[b * width + i] as number)
    if (difference !== 0) return difference
  }
  return 0
}
