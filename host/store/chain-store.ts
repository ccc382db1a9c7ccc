import type { Block, BlockHeader } from '../chain-types/block.ts'
import type { Receipt } from '../chain-types/receipt.ts'

/** Where a transaction stands. */
export interface TransactionLocation {
  readonly height: number
  readonly index: number
}

/** A finished block with what its execution produced. */
export interface ExecutedBlock {
  readonly block: Block
  /** Hashes of `block.transactions`, in order; 32 bytes each. */
  readonly transactionHashes: readonly Uint8Array[]
  readonly receipts: readonly Receipt[]
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
  heightOf(blockHash: Uint8Array): number | undefined
  locate(transactionHash: Uint8Array): TransactionLocation | undefined
}
