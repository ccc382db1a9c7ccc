import { rlpInteger } from '../../base/rlp.ts'
import type { Log } from './log.ts'
import type { TransactionType } from './transaction.ts'
import { encodeEnvelope } from './typed-envelope.ts'

/** Gas and price of a transaction's blobs (EIP-4844). */
export interface BlobGas {
  readonly used: bigint
  /** Wei per unit of blob gas. */
  readonly price: bigint
}

/** Outcome of one transaction of a block. Its position and hashes come from the block. */
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
  /** The logs in the format of `engine/log-records.ts`; present right after execution. */
  readonly logRecords?: Uint8Array | undefined
  /** 2048-bit bloom of addresses and topics, 256 bytes. */
  readonly logsBloom: Uint8Array
  /** State root after the transaction, which receipts had instead of the status before Byzantium (EIP-658). */
  readonly stateRoot?: Uint8Array
  /** Present if the transaction has blobs. */
  readonly blobGas?: BlobGas
}

/**
 * Returns the consensus encoding of a receipt: EIP-2718 type, then status (the state root before Byzantium),
 * cumulative gas, bloom and logs.
 */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  return encodeEnvelope(receipt.type, [
    receipt.stateRoot ?? rlpInteger(receipt.status),
    rlpInteger(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map(({ address, topics, data }) => [address, topics, data]),
  ])
}
