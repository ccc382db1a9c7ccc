import { receiptHashes } from '../codec/receipt-codec.ts'
import type { BlockTables } from './block-store.ts'
import type { LogIndex } from './log-index.ts'
import type { TransactionTable } from './transaction-index.ts'

/** Blocks, and rows of the transaction index, removed per transaction: a few milliseconds. */
const SLICE_BLOCKS = 128
const SLICE_ROWS = 1024

export interface ChainTables {
  readonly blocks: BlockTables
  readonly transactions: TransactionTable
  readonly logs: LogIndex
}

/**
 * Removes the blocks below `pruneHeight`, except the genesis block, and their rows in the indexes, with one
 * transaction per step. A block is removed last, so that rows that a crash leaves behind are found again from it.
 */
export function* removeBlocks(tables: ChainTables, pruneHeight: number): Generator<void, void> {
  const { blocks, transactions, logs } = tables
  for (;;) {
    const first = blocks.lowest()
    if (first === undefined || first >= pruneHeight) break
    const hashes: Uint8Array[] = []
    let end = first
    do {
      hashes.push(...receiptHashes(blocks.receiptBytes(end) ?? NO_RECEIPTS))
      end++
    } while (end < Math.min(pruneHeight, first + SLICE_BLOCKS) && hashes.length < SLICE_ROWS)
    for (let start = 0; start < hashes.length; start += SLICE_ROWS) {
      transactions.remove(hashes.slice(start, start + SLICE_ROWS), pruneHeight)
      yield
    }
    blocks.remove(first, end)
    yield
  }
  while (!logs.prune(pruneHeight)) yield
}

/** The encoding of an empty list of receipts. */
const NO_RECEIPTS = Uint8Array.of(0)
