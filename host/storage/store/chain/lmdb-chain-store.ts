import { LockstepError } from '../../../base/error.ts'
import type { Block, BlockHeader, EthereumBody } from '../../../evm/chain-types/block.ts'
import type { FoundLog, LogFilter } from '../../../evm/chain-types/log-filter.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { BlockParts } from '../codec/record-codec.ts'
import type { MarkedEnv } from '../lmdb/marked-env.ts'
import type { BlockCaches } from './block-caches.ts'
import { BlockTables } from './block-store.ts'
import { type CutProgress, cutBlocks } from './chain-cut.ts'
import { removeBlocks } from './chain-removal.ts'
import type { ChainStore, IndexedReceipt, TransactionLocation } from './chain-store.ts'
import { LogIndex } from './log-index.ts'
import { packedHashes } from './packed-block.ts'
import { TransactionTable } from './transaction-index.ts'

/** The directories of the chain's databases. */
export interface ChainDirs {
  readonly blocks: string
  readonly transactions: string
  readonly logs: string
}

/** Progress of building an index that was missing. */
export interface IndexProgress {
  readonly index: 'transactions' | 'logs'
  readonly from: number
  readonly height: number
  readonly to: number
}

/** Blocks, and bytes of receipts, that rebuilding an index processes per step. */
const INDEX_BLOCKS = 1024
const INDEX_BYTES = 16 * 1024 * 1024

/**
 * Finished blocks in three environments: blocks in order, and the indexes of transactions and of logs, which are
 * rebuilt from the blocks if they are missing.
 */
export class LmdbChainStore implements ChainStore {
  readonly #blocks: BlockTables
  readonly #transactions: TransactionTable
  readonly #logs: LogIndex
  readonly #blockEnv: MarkedEnv
  readonly #transactionEnv: MarkedEnv
  readonly #logEnv: MarkedEnv
  readonly #envs: readonly MarkedEnv[]
  #earliest: number
  #latest: number
  #flushed: number

  constructor(blocks: MarkedEnv, transactions: MarkedEnv, logs: MarkedEnv, caches?: BlockCaches) {
    // In this order no index is ever ahead of the blocks.
    this.#envs = [blocks, transactions, logs]
    this.#blockEnv = blocks
    this.#transactionEnv = transactions
    this.#logEnv = logs
    this.#logs = logs.add(new LogIndex(logs))
    this.#blocks = blocks.add(new BlockTables(blocks, caches))
    this.#transactions = transactions.add(new TransactionTable(transactions))
    this.#earliest = blocks.earliest
    this.#latest = blocks.latest
    this.#flushed = blocks.latest
  }

  get earliest(): number {
    return this.#earliest
  }

  get latest(): number {
    return this.#latest
  }

  get dirs(): ChainDirs {
    return {
      blocks: this.#blockEnv.dir,
      transactions: this.#transactionEnv.dir,
      logs: this.#logEnv.dir,
    }
  }

  /** Latest height in the databases, as far as this thread knows. */
  get flushed(): number {
    return this.#flushed
  }

  /** The blocks above it, by height. */
  waiting(): Iterable<BlockParts> {
    return this.#blocks.waiting()
  }

  apply(parts: BlockParts): void {
    if (parts.height <= this.#latest) return
    this.#blocks.apply(parts)
    this.#transactions.apply(parts)
    this.#logs.apply(parts.height, parts.receipts)
    if (this.#earliest < 0) this.#earliest = parts.height
    this.#latest = parts.height
  }

  header(height: number): BlockHeader | undefined {
    return this.#keeps(height) ? this.#blocks.header(height) : undefined
  }

  block(height: number): Block | undefined {
    return this.#keeps(height) ? this.#blocks.block(height) : undefined
  }

  receipts(height: number): readonly Receipt[] | undefined {
    return this.#keeps(height) ? this.#blocks.receipts(height) : undefined
  }

  eachReceipt(height: number): Iterable<Receipt> | undefined {
    return this.#keeps(height) ? this.#blocks.eachReceipt(height) : undefined
  }

  body(height: number): EthereumBody | undefined {
    return this.#keeps(height) ? this.#blocks.body(height) : undefined
  }

  transactionCount(height: number): number | undefined {
    return this.#keeps(height) ? this.#blocks.transactionCount(height) : undefined
  }

  transactionHashes(height: number): Uint8Array | undefined {
    return this.#keeps(height) ? this.#blocks.transactionHashes(height) : undefined
  }

  transaction(height: number, index: number): Uint8Array | undefined {
    return this.#keeps(height) ? this.#blocks.transaction(height, index) : undefined
  }

  receipt(height: number, index: number): IndexedReceipt | undefined {
    return this.#keeps(height) ? this.#blocks.receipt(height, index) : undefined
  }

  logHeights(filter: LogFilter, from: number, to: number): readonly number[] {
    return this.#logs.heights(filter, from, to)
  }

  matchingLogs(
    filter: LogFilter,
    height: number,
    mayMatch: (bloom: Uint8Array) => boolean,
  ): readonly FoundLog[] | undefined {
    return this.#keeps(height) ? this.#blocks.matchingLogs(filter, height, mayMatch) : undefined
  }

  heightOf(blockHash: Uint8Array): number | undefined {
    const height = this.#blocks.heightOf(blockHash)
    return height !== undefined && this.#keeps(height) ? height : undefined
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    const location = this.#transactions.locate(transactionHash)
    return location !== undefined && this.#keeps(location.height) ? location : undefined
  }

  /**
   * Indexes the blocks up to `height`, all on disk, that an index lacks: the home is older than the index, or the
   * index was damaged.
   */
  async index(height: number, onProgress: (progress: IndexProgress) => void): Promise<void> {
    await this.#index('transactions', this.#transactionEnv, height, onProgress)
    await this.#index('logs', this.#logEnv, height, onProgress)
  }

  async #index(
    index: IndexProgress['index'],
    env: MarkedEnv,
    height: number,
    onProgress: (progress: IndexProgress) => void,
  ): Promise<void> {
    const from = Math.max(env.latest + 1, this.#earliest)
    let bytes = 0
    for (let next = from; next <= height; next++) {
      const receipts = this.#blocks.receiptBytes(next)
      if (receipts === undefined) {
        throw new LockstepError(
          'STORE_CORRUPTED',
          `database ${this.#blockEnv.dir}: the receipts of block ${next} are missing`,
        )
      }
      if (index === 'logs') this.#logs.apply(next, receipts)
      else this.#transactions.apply({ height: next, hashes: packedHashes(receipts) })
      bytes += receipts.length
      if (next < height && (next + 1) % INDEX_BLOCKS !== 0 && bytes < INDEX_BYTES) continue
      await env.flush(from, next)
      env.forget(next)
      bytes = 0
      onProgress({ index, from, height: next, to: height })
    }
  }

  /** Writes the pending blocks up to `height`. */
  async flush(first: number, height: number): Promise<void> {
    for (const env of this.#envs) {
      await env.flush(first, height)
      env.forget(height)
    }
  }

  /** Refreshes the view of what another thread has written up to `height`, and drops it from memory. */
  takeFlushed(height: number): void {
    this.#flushed = height
    for (const env of this.#envs) {
      env.refresh()
      env.forget(height)
    }
  }

  /** Drops everything in memory about the blocks above `height`: reads no longer find them. */
  forgetAbove(height: number): void {
    this.#latest = Math.min(this.#latest, height)
    this.#flushed = Math.min(this.#flushed, height)
    for (const table of [this.#blocks, this.#transactions, this.#logs]) table.forgetAbove(height)
  }

  /** Refreshes the view after another thread has removed the blocks above `height`. */
  takeCut(height: number): void {
    for (const env of this.#envs) env.refresh()
    // Drops what was read of the blocks while they were removed
    this.forgetAbove(height)
  }

  /** Raises the lowest retained height: reads no longer find blocks below it. */
  raise(pruneHeight: number): void {
    this.#blockEnv.raise(pruneHeight)
    this.takeRaised(pruneHeight)
  }

  /** Takes the lowest retained height that another thread has raised. */
  takeRaised(pruneHeight: number): void {
    this.#earliest = pruneHeight
  }

  /** Removes what lies below a retained height, with one transaction per step. */
  removal(pruneHeight: number): Generator<void, void> {
    const tables = { blocks: this.#blocks, transactions: this.#transactions, logs: this.#logs }
    return removeBlocks(tables, pruneHeight)
  }

  /**
   * Removes the blocks above `height` and their rows in the indexes, with one transaction per step. Yields the number
   * of blocks done and of all blocks to do. After a crash it can be repeated. The store serves no reads afterwards.
   */
  *cut(height: number): Generator<CutProgress, void> {
    // Lowers the markers first: from now on there are more rows than the databases' heights cover.
    for (const env of this.#envs) env.lower(height)
    const tables = { blocks: this.#blocks, transactions: this.#transactions, logs: this.#logs }
    yield* cutBlocks(tables, Math.max(this.#earliest, 0), height)
  }

  /** The genesis block is always retained: it identifies the chain. */
  #keeps(height: number): boolean {
    return height <= this.#latest && (height >= this.#earliest || height === 0)
  }
}
