import type { Block } from '../../../evm/chain-types/block.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { Changeset } from '../../../evm/state/changeset.ts'

/** A finished block with the results of its execution. */
export interface ExecutedBlock {
  readonly block: Block
  /** Hashes of `block.transactions`, in order; 32 bytes each. */
  readonly transactionHashes: readonly Uint8Array[]
  readonly receipts: readonly Receipt[]
}

/** Everything one block produces: one record of the write-ahead log. */
export interface BlockRecord {
  readonly executed: ExecutedBlock
  readonly changeset: Changeset
}
