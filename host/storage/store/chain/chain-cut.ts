import { failedHashes, receiptHashes } from '../codec/receipt-codec.ts'
import type { ChainTables } from './chain-removal.ts'

/** Number of blocks processed, and of all blocks to process. */
export interface CutProgress {
  readonly done: number
  readonly total: number
}

/** Blocks, and rows of the transaction index, removed per transaction. */
const SLICE_BLOCKS = 128
const SLICE_ROWS = 1024
/** Blocks checked between progress reports. */
const LOOKED_AT = 1024

/** The encoding of an empty list of receipts. */
const NO_RECEIPTS = Uint8Array.of(0)

/**
 * Removes the blocks above `height` and their rows in the indexes. A block is removed last, so that rows that a crash
 * leaves behind are found again from it.
 * @param earliest - The lowest stored block.
 */
export function* cutBlocks(
  tables: ChainTables,
  earliest: number,
  height: number,
): Generator<CutProgress, void> {
  const { blocks, transactions, logs } = tables
  const highest = blocks.highest(height) ?? height
  const removed = Math.max(0, highest - height)
  const looked = hasTransactions(tables, height, highest) ? height - earliest + 1 : 0
  const total = removed + looked
  if (looked > 0) {
    for (const done of restorePlaces(tables, earliest, height)) yield { done, total }
  }
  for (let end = highest + 1; end > height + 1; ) {
    const hashes: Uint8Array[] = []
    let first = end
    do {
      first--
      hashes.push(...receiptHashes(blocks.receiptBytes(first) ?? NO_RECEIPTS))
    } while (first > Math.max(height + 1, end - SLICE_BLOCKS) && hashes.length < SLICE_ROWS)
    for (let start = 0; start < hashes.length; start += SLICE_ROWS) {
      transactions.removeAbove(hashes.slice(start, start + SLICE_ROWS), height)
    }
    blocks.remove(first, end)
    end = first
    yield { done: total - (end - height - 1), total }
  }
  for (const _ of logs.removeAbove(height)) yield { done: total, total }
}

function hasTransactions({ blocks }: ChainTables, height: number, highest: number): boolean {
  for (let each = height + 1; each <= highest; each++) {
    if ((blocks.receiptBytes(each)?.length ?? 0) > NO_RECEIPTS.length) return true
  }
  return false
}

/**
 * A transaction that failed before it ran may be included again in a later block, to which the index then points.
 * When that block is removed, the earlier position is restored. Yields the number of blocks checked.
 */
function* restorePlaces(
  { blocks, transactions }: ChainTables,
  earliest: number,
  height: number,
): Generator<number, void> {
  for (let each = height; each >= earliest; each--) {
    for (const { hash, index } of failedHashes(blocks.receiptBytes(each) ?? NO_RECEIPTS)) {
      const place = transactions.locate(hash)
      if (place !== undefined && place.height > height) {
        transactions.move(hash.slice(), { height: each, index })
      }
    }
    if ((height - each + 1) % LOOKED_AT === 0) yield height - each + 1
  }
}
