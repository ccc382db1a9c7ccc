import { concatBytes, equalBytes } from '../../../host/base/bytes.ts'
import { type LogFilter, matchingLogs } from '../../../host/evm/chain-types/log-filter.ts'
import type {
  ChainStore,
  IndexedReceipt,
  TransactionLocation,
} from '../../../host/storage/store/chain/chain-store.ts'
import type { ExecutedBlock } from '../../../host/storage/store/codec/block-record.ts'

/** A chain store over an array: the block at height n has index n. */
export class BlockList implements ChainStore {
  readonly blocks: ExecutedBlock[]
  earliest: number

  constructor(blocks: ExecutedBlock[] = []) {
    this.blocks = blocks
    this.earliest = blocks.length === 0 ? -1 : 0
  }

  append(block: ExecutedBlock): void {
    this.blocks.push(block)
    this.earliest = Math.max(0, this.earliest)
  }

  get latest(): number {
    return this.blocks.length - 1
  }

  at(height: number): ExecutedBlock | undefined {
    return height < this.earliest ? undefined : this.blocks[height]
  }

  header(height: number) {
    return this.at(height)?.block.header
  }

  block(height: number) {
    return this.at(height)?.block
  }

  receipts(height: number) {
    return this.at(height)?.receipts
  }

  eachReceipt(height: number) {
    return this.receipts(height)
  }

  body(height: number) {
    return this.at(height)?.block.ethereum
  }

  transactionCount(height: number) {
    return this.at(height)?.block.transactions.length
  }

  transactionHashes(height: number) {
    const hashes = this.at(height)?.transactionHashes
    return hashes && concatBytes(hashes)
  }

  transaction(height: number, index: number) {
    return this.at(height)?.block.transactions[index]
  }

  receipt(height: number, index: number): IndexedReceipt | undefined {
    const receipts = this.at(height)?.receipts ?? []
    const receipt = receipts[index]
    if (receipt === undefined) return undefined
    const firstLogIndex = receipts.slice(0, index).reduce((sum, { logs }) => sum + logs.length, 0)
    return { receipt, firstLogIndex }
  }

  logHeights(_: LogFilter, from: number, to: number): number[] {
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  }

  matchingLogs(filter: LogFilter, height: number, mayMatch: (bloom: Uint8Array) => boolean) {
    const header = this.header(height)
    if (header === undefined) return undefined
    if (!mayMatch(header.logsBloom)) return []
    return [...matchingLogs(filter, header, this.receipts(height) ?? [])]
  }

  heightOf(blockHash: Uint8Array): number | undefined {
    const height = this.blocks.findIndex(({ block }) => equalBytes(block.header.hash, blockHash))
    return height < 0 ? undefined : height
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    for (const [height, { transactionHashes }] of this.blocks.entries()) {
      const index = transactionHashes.findIndex((hash) => equalBytes(hash, transactionHash))
      if (index >= 0) return { height, index }
    }
    return undefined
  }
}
