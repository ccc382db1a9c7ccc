import { logsBloom } from '../chain-types/bloom.ts'
import { BLOB_GAS } from '../chain-types/generated/gas.ts'
import type { Log } from '../chain-types/log.ts'
import type { BlobGas, Receipt } from '../chain-types/receipt.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'
import {
  effectiveGasPrice,
  type Transaction,
  type TransactionType,
} from '../chain-types/transaction.ts'
import { viewLogs } from '../engine/log-records.ts'
import type { BlockEnv } from '../engine/message.ts'
import type { Executed } from '../engine/outcome.ts'

/** Transaction fields that the receipt repeats. */
type Received = Pick<
  Transaction,
  'type' | 'hash' | 'from' | 'to' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'blobHashes'
>

/** Returns the receipt of an executed transaction. `cumulativeGasUsed` includes it. */
export function makeReceipt(
  transaction: Received,
  outcome: Executed,
  cumulativeGasUsed: bigint,
  env: Pick<BlockEnv, 'baseFee' | 'blobBaseFee'>,
  keccak256: Keccak256,
): Receipt {
  const bloom = logsBloom(outcome.logs, keccak256)
  const receipt = receiptUnder(bloom, transaction, outcome, cumulativeGasUsed, env)
  return { ...receipt, logs: outcome.logs }
}

/** Receipt of an executed transaction. Logs stay in the engine's format and are decoded at each access. */
class ExecutedReceipt implements Receipt {
  readonly type: TransactionType
  readonly transactionHash: Uint8Array
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly contractAddress: Uint8Array | undefined
  readonly status: 0 | 1
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly logRecords: Uint8Array | undefined
  readonly logsBloom: Uint8Array
  declare readonly blobGas?: BlobGas
  constructor(
    logsBloom: Uint8Array,
    transaction: Received,
    outcome: Executed,
    cumulativeGasUsed: bigint,
    { baseFee, blobBaseFee }: Pick<BlockEnv, 'baseFee' | 'blobBaseFee'>,
  ) {
    const { to, blobHashes } = transaction
    this.type = transaction.type
    this.transactionHash = transaction.hash
    this.from = transaction.from
    this.to = to
    this.contractAddress = to === undefined ? outcome.createdAddress : undefined
    this.status = outcome.success ? 1 : 0
    this.gasUsed = outcome.gasUsed
    this.cumulativeGasUsed = cumulativeGasUsed
    this.effectiveGasPrice = effectiveGasPrice(transaction, baseFee)
    this.logRecords = outcome.logRecords
    this.logsBloom = logsBloom
    if (blobHashes.length > 0) {
      this.blobGas = { used: BigInt(blobHashes.length) * BLOB_GAS, price: blobBaseFee }
    }
  }

  get logs(): readonly Log[] {
    return viewLogs(this.logRecords as Uint8Array)
  }
}

/** Like `makeReceipt`, with a known bloom. `logs` is a getter on the prototype: do not spread the receipt. */
export function receiptUnder(
  ...[logsBloom, transaction, outcome, gas, env]: ConstructorParameters<typeof ExecutedReceipt>
): Receipt {
  const receipt = new ExecutedReceipt(logsBloom, transaction, outcome, gas, env)
  return outcome.logRecords === undefined ? { ...receipt, logs: outcome.logs } : receipt
}
