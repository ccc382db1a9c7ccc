import { RecentCache } from '../../../base/recent-cache.ts'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import type { Block, BlockHeader, EthereumBody } from '../../../evm/chain-types/block.ts'
import type { FoundLog, LogFilter } from '../../../evm/chain-types/log-filter.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import { decodeHeaderRow, decodeTransactions } from '../codec/block-codec.ts'
import { decodeHeight, encodeHeight } from '../codec/ordered-key.ts'
import { decodeReceipts } from '../codec/receipt-codec.ts'
import type { BlockParts } from '../codec/record-codec.ts'
import type { LmdbTable } from '../lmdb/lmdb-env.ts'
import type { FlushTable, MarkedEnv } from '../lmdb/marked-env.ts'
import { BLOCK_CACHES, type BlockCaches } from './block-caches.ts'
import type { IndexedReceipt } from './chain-store.ts'
import {
  eachPacked,
  PackedBlockTransactions,
  PackedReceipts,
  packedBody,
  packedHashes,
} from './packed-block.ts'
import { PackedLogs } from './packed-logs.ts'

const NO_LOGS: readonly FoundLog[] = []

/** The tables of `data/chain.db`. */
export const BLOCK_TABLES = ['headers', 'transactions', 'receipts', 'heights'] as const

/** Headers, transactions and receipts by height, and heights by block hash. */
export class BlockTables implements FlushTable {
  readonly #env: MarkedEnv
  readonly #headers: LmdbTable
  readonly #transactions: LmdbTable
  readonly #receipts: LmdbTable
  readonly #heights: LmdbTable
  readonly #pending = new Map<number, BlockParts>()
  readonly #pendingHeights = new Map<string, number>()
  readonly #cachedHeaders: RecentCache<number, BlockHeader>
  readonly #cachedBlocks: RecentCache<number, Block>
  readonly #cachedReceipts: RecentCache<number, readonly Receipt[]>
  readonly #packedTransactions: RecentCache<number, PackedBlockTransactions>
  readonly #packedReceipts: RecentCache<number, PackedReceipts>
  readonly #packedLogs: RecentCache<number, PackedLogs>

  constructor(
    env: MarkedEnv,
    { blocks, headers: cachedHeaders, logBytes }: BlockCaches = BLOCK_CACHES,
  ) {
    this.#env = env
    this.#cachedHeaders = new RecentCache(cachedHeaders)
    this.#cachedBlocks = new RecentCache(blocks)
    this.#cachedReceipts = new RecentCache(blocks)
    this.#packedTransactions = new RecentCache(blocks)
    this.#packedReceipts = new RecentCache(blocks)
    this.#packedLogs = new RecentCache(logBytes)
    const [headers, transactions, receipts, heights] = BLOCK_TABLES
    this.#headers = env.table(headers)
    this.#transactions = env.table(transactions)
    this.#receipts = env.table(receipts)
    this.#heights = env.table(heights)
  }

  apply(parts: BlockParts): void {
    // A copy: a decoded header consists of views, and would keep whole records in the cache.
    const header = decodeHeaderRow(parts.header.slice())
    this.#pending.set(parts.height, parts)
    this.#pendingHeights.set(mapKey(header.hash), parts.height)
    this.#cachedHeaders.set(parts.height, header)
  }

  /** The blocks that are not on disk yet, by height. */
  waiting(): Iterable<BlockParts> {
    return this.#pending.values()
  }

  header(height: number): BlockHeader | undefined {
    if (!Number.isSafeInteger(height) || height < 0) return undefined
    const cached = this.#cachedHeaders.get(height)
    if (cached !== undefined) return cached
    const bytes = this.#pending.get(height)?.header ?? this.#headers.get(encodeHeight(height))
    if (bytes === undefined) return undefined
    const header = decodeHeaderRow(bytes.slice())
    this.#cachedHeaders.set(height, header)
    return header
  }

  block(height: number): Block | undefined {
    const cached = this.#cachedBlocks.get(height)
    if (cached !== undefined) return cached
    const header = this.header(height)
    const bytes = this.#transactionBytes(height)
    if (header === undefined || bytes === undefined) return undefined
    const block: Block = { header, ...decodeTransactions(bytes) }
    this.#cachedBlocks.set(height, block)
    return block
  }

  receipts(height: number): readonly Receipt[] | undefined {
    const cached = this.#cachedReceipts.get(height)
    if (cached !== undefined) return cached
    const bytes = this.receiptBytes(height)
    if (bytes === undefined) return undefined
    const receipts = decodeReceipts(bytes)
    this.#cachedReceipts.set(height, receipts)
    return receipts
  }

  eachReceipt(height: number): Iterable<Receipt> | undefined {
    const known = this.#cachedReceipts.get(height)
    if (known !== undefined) return known
    const bytes = this.receiptBytes(height)
    return bytes && eachPacked(bytes)
  }

  body(height: number): EthereumBody | undefined {
    const bytes = this.#transactionBytes(height)
    return bytes && packedBody(bytes)
  }

  transactionCount(height: number): number | undefined {
    return this.#packedTransactionsOf(height)?.length
  }

  transactionHashes(height: number): Uint8Array | undefined {
    const pending = this.#pending.get(height)
    if (pending !== undefined) return pending.hashes
    const bytes = this.#receipts.get(encodeHeight(height))
    return bytes && packedHashes(bytes)
  }

  transaction(height: number, index: number): Uint8Array | undefined {
    return this.#packedTransactionsOf(height)?.at(index)
  }

  #packedTransactionsOf(height: number): PackedBlockTransactions | undefined {
    const packed =
      this.#packedTransactions.get(height) ??
      pack(this.#transactionBytes(height), PackedBlockTransactions)
    if (packed !== undefined) this.#packedTransactions.set(height, packed)
    return packed
  }

  receipt(height: number, index: number): IndexedReceipt | undefined {
    const packed =
      this.#packedReceipts.get(height) ?? pack(this.receiptBytes(height), PackedReceipts)
    if (packed === undefined) return undefined
    this.#packedReceipts.set(height, packed)
    return packed.at(index)
  }

  /** Returns the logs of a block that match a filter. It reads none if the bloom rules them out. */
  matchingLogs(
    filter: LogFilter,
    height: number,
    mayMatch: (bloom: Uint8Array) => boolean,
  ): readonly FoundLog[] | undefined {
    const known = this.#packedLogs.get(height)
    if (known !== undefined) return this.#matchingOf(known, filter, height, known.bytes)
    const header = this.header(height)
    if (header === undefined) return undefined
    if (!mayMatch(header.logsBloom)) return NO_LOGS
    const bytes = this.receiptBytes(height)
    if (bytes === undefined) return undefined
    return this.#matchingOf(new PackedLogs(header, bytes), filter, height, 0)
  }

  /** @param counted - Bytes that the cache has counted for the block. */
  #matchingOf(
    packed: PackedLogs,
    filter: LogFilter,
    height: number,
    counted: number,
  ): readonly FoundLog[] {
    const found = packed.matching(filter)
    if (packed.bytes !== counted) this.#packedLogs.set(height, packed, packed.bytes)
    return found
  }

  /** Returns the stored receipts of a block. */
  receiptBytes(height: number): Uint8Array | undefined {
    return this.#pending.get(height)?.receipts ?? this.#receipts.get(encodeHeight(height))
  }

  #transactionBytes(height: number): Uint8Array | undefined {
    return this.#pending.get(height)?.transactions ?? this.#transactions.get(encodeHeight(height))
  }

  heightOf(blockHash: Uint8Array): number | undefined {
    if (blockHash.length === 0) return undefined
    const pending = this.#pendingHeights.get(mapKey(blockHash))
    if (pending !== undefined) return pending
    const stored = this.#heights.get(blockHash)
    return stored && decodeHeight(stored)
  }

  /** Returns the lowest height on disk except the genesis block. */
  lowest(): number | undefined {
    const row = this.#headers.seek(encodeHeight(1))
    return row && decodeHeight(row.key)
  }

  /** Returns the latest height on disk if it is above `height`. */
  highest(height: number): number | undefined {
    const end = encodeHeight(height)
    for (const { key } of this.#headers.range({ end, reverse: true, limit: 1 })) {
      return decodeHeight(key)
    }
    return undefined
  }

  /** Removes the blocks of heights first..end - 1 in one transaction. */
  remove(first: number, end: number): void {
    this.#env.write(() => {
      for (let height = first; height < end; height++) {
        const key = encodeHeight(height)
        const stored = this.#headers.get(key)
        if (stored === undefined) continue
        const { hash } = decodeHeaderRow(stored)
        if (hash.length > 0) this.#heights.remove(hash)
        for (const table of [this.#transactions, this.#receipts, this.#headers]) table.remove(key)
      }
    })
  }

  async flush(height: number): Promise<void> {
    for (const parts of this.#pending.values()) {
      if (parts.height > height) continue
      const key = encodeHeight(parts.height)
      this.#env.write(() => {
        this.#headers.put(key, parts.header)
        this.#transactions.put(key, parts.transactions)
        this.#receipts.put(key, parts.receipts)
        const { hash } = decodeHeaderRow(parts.header)
        if (hash.length > 0) this.#heights.put(hash, key)
      })
      await yieldToEventLoop()
    }
  }

  /** Drops everything in memory about the blocks above `height`. */
  forgetAbove(height: number): void {
    const isAbove = (other: number): boolean => other > height
    for (const pending of this.#pending.keys()) if (isAbove(pending)) this.#pending.delete(pending)
    for (const [hash, pending] of this.#pendingHeights) {
      if (isAbove(pending)) this.#pendingHeights.delete(hash)
    }
    this.#cachedHeaders.drop(isAbove)
    this.#cachedBlocks.drop(isAbove)
    this.#cachedReceipts.drop(isAbove)
    this.#packedTransactions.drop(isAbove)
    this.#packedReceipts.drop(isAbove)
    this.#packedLogs.drop(isAbove)
  }

  forget(height: number): void {
    for (const pending of this.#pending.keys()) if (pending <= height) this.#pending.delete(pending)
    for (const [hash, pending] of this.#pendingHeights) {
      if (pending <= height) this.#pendingHeights.delete(hash)
    }
  }
}

function pack<Packed>(
  bytes: Uint8Array | undefined,
  kind: new (bytes: Uint8Array) => Packed,
): Packed | undefined {
  return bytes && new kind(bytes)
}

function mapKey(hash: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(hash, 0, hash.length)
}
