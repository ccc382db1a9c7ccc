import type { Block, BlockHeader } from '../chain-types/block.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import { BlockStore } from './block-store.ts'
import type { ChainStore, PlacedReceipt, TransactionLocation } from './chain-store.ts'
import type { Member } from './member.ts'
import type { RecordParts } from './record-codec.ts'
import { TransactionIndex } from './transaction-index.ts'

/** Finished blocks over two environments: blocks in order, and the index of random keys. */
export class LmdbChainStore implements ChainStore {
  readonly #blocks: BlockStore
  readonly #transactions: TransactionIndex
  readonly #members: readonly Member[]
  #earliest: number
  #latest: number

  constructor(blocks: Member, transactions: Member) {
    this.#members = [blocks, transactions]
    this.#blocks = blocks.add(new BlockStore(blocks))
    this.#transactions = transactions.add(new TransactionIndex(transactions))
    this.#earliest = blocks.earliest
    this.#latest = Math.min(blocks.latest, transactions.latest)
  }

  get earliest(): number {
    return this.#earliest
  }

  get latest(): number {
    return this.#latest
  }

  apply(parts: RecordParts): void {
    if (parts.height <= this.#latest) return
    this.#blocks.apply(parts)
    this.#transactions.apply(parts)
    if (this.#earliest < 0) this.#earliest = parts.height
    this.#latest = parts.height
  }

  header(height: number): BlockHeader | undefined {
    return this.#blocks.header(height)
  }

  block(height: number): Block | undefined {
    return this.#blocks.block(height)
  }

  receipts(height: number): readonly Receipt[] | undefined {
    return this.#blocks.receipts(height)
  }

  transaction(height: number, index: number): Uint8Array | undefined {
    return this.#blocks.transaction(height, index)
  }

  receipt(height: number, index: number): PlacedReceipt | undefined {
    return this.#blocks.receipt(height, index)
  }

  heightOf(blockHash: Uint8Array): number | undefined {
    return this.#blocks.heightOf(blockHash)
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    return this.#transactions.locate(transactionHash)
  }

  async flush(height: number): Promise<void> {
    for (const member of this.#members) await member.flush(this.#earliest, height)
  }

  forget(height: number): void {
    for (const member of this.#members) member.forget(height)
  }
}
