import type { Block } from '../../../evm/chain-types/block.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { Changeset } from '../../../evm/state/changeset.ts'

/** A finished block with the results of its execution. */
export interface ExecutedBlock {
  readonly block: Block
  /** Hashes of `block.transactions`, in order; 32 bytes each. */
  readonly transactionHashes: readonly Uint8Array[]
  readonly receipts: readonly Receipt[]
  /** The hashes and the receipts as a record of the write-ahead log has them, if execution returned them so. */
  readonly packed?: PackedExecution
}

/** Parts of a record about the transactions of a block. */
export interface PackedExecution {
  /** 32 bytes each. */
  readonly hashes: Uint8Array
  /** As `encodeReceipts` encodes them. */
  readonly receipts: Uint8Array
}

/** Everything one block produces: one record of the write-ahead log. */
export interface BlockRecord {
  readonly executed: ExecutedBlock
  readonly changeset: Changeset
}
