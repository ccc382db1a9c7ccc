import { failedHashes, receiptHashes } from '../codec/receipt-codec.ts'
import type { ChainTables } from './chain-removal.ts'

/** Blocks that were gone through, of those to go through. */
export interface CutProgress {
  readonly done: number
  readonly total: number
}

/** Blocks, and rows of the transaction index, removed in one transaction. */
const SLICE_BLOCKS = 128
const SLICE_ROWS = 1024
/** Blocks looked at before the progress is told. */
const LOOKED_AT = 1024

/** The encoding of no receipts. */
const NO_RECEIPTS = Uint8Array.of(0)

/**
 * Removes the blocks above `height` and what the indexes say of them. A block goes last: rows that a crash leaves
 * are found again from it.
 * @param earliest the lowest block that there is
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
 * A transaction that failed before it ran may stand in a later block too, and the index leads to that one: where it
 * is removed, the earlier place counts again. Yields how many blocks were looked at.
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
