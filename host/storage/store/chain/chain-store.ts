import type { Block, BlockHeader, EthereumBody } from '../../../evm/chain-types/block.ts'
import type { FoundLog, LogFilter } from '../../../evm/chain-types/log-filter.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'

/** The place of a transaction in the chain. */
export interface TransactionLocation {
  readonly height: number
  readonly index: number
}

/** A receipt with its place among the logs of its block. */
export interface PlacedReceipt {
  readonly receipt: Receipt
  /** Logs of the block before the receipt's own. */
  readonly firstLogIndex: number
}

/** Finished blocks, their receipts and the transaction index. Height 0 is the genesis block. */
export interface ChainStore {
  /** Lowest height kept; -1 before the genesis block is stored. */
  readonly earliest: number
  /** Newest height stored; -1 before the genesis block is stored. */
  readonly latest: number
  header(height: number): BlockHeader | undefined
  block(height: number): Block | undefined
  receipts(height: number): readonly Receipt[] | undefined
  /** Its receipts in order, read one by one from what is stored now: of many, not all are in memory at a time. */
  eachReceipt(height: number): Iterable<Receipt> | undefined
  /** What a block holds beside its transactions, which are not decoded; undefined where that is nothing. */
  body(height: number): EthereumBody | undefined
  transactionCount(height: number): number | undefined
  /** The hashes of a block's transactions, 32 bytes each, one after another. */
  transactionHashes(height: number): Uint8Array | undefined
  /** One transaction as it was signed, without those around it. */
  transaction(height: number, index: number): Uint8Array | undefined
  /** One receipt, without those around it. */
  receipt(height: number, index: number): PlacedReceipt | undefined
  /**
   * Heights from..to, ascending, outside of which no block of the range holds a log that the filter
   * matches. Looked up in an index: the cost follows the answer and not the range.
   */
  logHeights(filter: LogFilter, from: number, to: number): readonly number[]
  /**
   * The logs of a block that a filter lets through, in order; undefined where there is no such block. A block that is
   * not in memory is read only where `mayMatch` says so of its bloom.
   */
  matchingLogs(
    filter: LogFilter,
    height: number,
    mayMatch: (bloom: Uint8Array) => boolean,
  ): readonly FoundLog[] | undefined
  heightOf(blockHash: Uint8Array): number | undefined
  locate(transactionHash: Uint8Array): TransactionLocation | undefined
}
