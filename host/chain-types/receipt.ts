import type { Log } from './log.ts'
import type { TransactionType } from './transaction.ts'

/** What became of one transaction of a block. Position and hashes come from the block it stands in. */
export interface Receipt {
  readonly type: TransactionType
  readonly transactionHash: Uint8Array
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  /** Address of the created contract; undefined unless the transaction is a creation. */
  readonly contractAddress: Uint8Array | undefined
  readonly status: 0 | 1
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly logs: readonly Log[]
  /** 2048-bit bloom of addresses and topics, 256 bytes. */
  readonly logsBloom: Uint8Array
}
