import type { Block, BlockHeader, EthereumBody } from '../../../evm/chain-types/block.ts'
import type { FoundLog, LogFilter } from '../../../evm/chain-types/log-filter.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'

/** Position of a transaction in the chain. */
export interface TransactionLocation {
  readonly height: number
  readonly index: number
}

/** A receipt with the position of its logs in the block. */
export interface IndexedReceipt {
  readonly receipt: Receipt
  /** Number of logs of the block before the receipt's own. */
  readonly firstLogIndex: number
}

/** Finished blocks, their receipts and the transaction index. Height 0 is the genesis block. */
export interface ChainStore {
  /** Lowest retained height; -1 before the genesis block is stored. */
  readonly earliest: number
  /** Latest stored height; -1 before the genesis block is stored. */
  readonly latest: number
  header(height: number): BlockHeader | undefined
  block(height: number): Block | undefined
  receipts(height: number): readonly Receipt[] | undefined
  /**
   * Yields the block's receipts in order, read lazily from what is stored now, so that they are not all in memory at
   * once.
   */
  eachReceipt(height: number): Iterable<Receipt> | undefined
  /** Returns what a block contains besides its transactions, without decoding these; undefined if that is nothing. */
  body(height: number): EthereumBody | undefined
  transactionCount(height: number): number | undefined
  /** Returns the hashes of a block's transactions, 32 bytes each, concatenated. */
  transactionHashes(height: number): Uint8Array | undefined
  /** Returns one signed transaction without reading the others. */
  transaction(height: number, index: number): Uint8Array | undefined
  /** Returns one receipt without reading the others. */
  receipt(height: number, index: number): IndexedReceipt | undefined
  /**
   * Returns heights from..to, ascending, that include every block of the range with a log that matches the filter.
   * The cost of the index lookup depends on the result, not on the range.
   */
  logHeights(filter: LogFilter, from: number, to: number): readonly number[]
  /**
   * Returns the logs of a block that match a filter, in order; undefined if there is no such block. A block that is
   * not in memory is read only if `mayMatch` returns true for its bloom.
   */
  matchingLogs(
    filter: LogFilter,
    height: number,
    mayMatch: (bloom: Uint8Array) => boolean,
  ): readonly FoundLog[] | undefined
  heightOf(blockHash: Uint8Array): number | undefined
  locate(transactionHash: Uint8Array): TransactionLocation | undefined
}
