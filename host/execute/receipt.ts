import { logsBloom } from '../chain-types/bloom.ts'
import { BLOB_GAS } from '../chain-types/generated/gas.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'
import { effectiveGasPrice, type Transaction } from '../chain-types/transaction.ts'
import type { BlockEnv } from '../engine/message.ts'
import type { Executed } from '../engine/outcome.ts'

/** The fields of a transaction that its receipt repeats. */
type Received = Pick<
  Transaction,
  'type' | 'hash' | 'from' | 'to' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'blobHashes'
>

/** The receipt of a transaction that ran; `cumulativeGasUsed` counts it. */
export function makeReceipt(
  transaction: Received,
  outcome: Executed,
  cumulativeGasUsed: bigint,
  env: Pick<BlockEnv, 'baseFee' | 'blobBaseFee'>,
  keccak256: Keccak256,
): Receipt {
  const bloom = logsBloom(outcome.logs, keccak256)
  return receiptUnder(bloom, transaction, outcome, cumulativeGasUsed, env)
}

/** As `makeReceipt`, where the bloom of its logs is known. */
export function receiptUnder(
  logsBloom: Uint8Array,
  transaction: Received,
  outcome: Executed,
  cumulativeGasUsed: bigint,
  { baseFee, blobBaseFee }: Pick<BlockEnv, 'baseFee' | 'blobBaseFee'>,
): Receipt {
  const { to, blobHashes } = transaction
  const blobGas = BigInt(blobHashes.length) * BLOB_GAS
  return {
    type: transaction.type,
    transactionHash: transaction.hash,
    from: transaction.from,
    to,
    contractAddress: to === undefined ? outcome.createdAddress : undefined,
    status: outcome.success ? 1 : 0,
    gasUsed: outcome.gasUsed,
    cumulativeGasUsed,
    effectiveGasPrice: effectiveGasPrice(transaction, baseFee),
    logs: outcome.logs,
    logsBloom,
    ...(blobGas > 0n && { blobGas: { used: blobGas, price: blobBaseFee } }),
  }
}
