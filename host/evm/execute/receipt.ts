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
  const receipt = receiptUnder(bloom, transaction, outcome, cumulativeGasUsed, env)
  return { ...receipt, logs: outcome.logs }
}

/** Of a transaction that ran: its logs stay as the engine left them, and are viewed each time that they are asked for. */
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

/** As `makeReceipt`, where the bloom of its logs is known. Its logs are no property of its own: not to be spread. */
export function receiptUnder(
  ...[logsBloom, transaction, outcome, gas, env]: ConstructorParameters<typeof ExecutedReceipt>
): Receipt {
  const receipt = new ExecutedReceipt(logsBloom, transaction, outcome, gas, env)
  return outcome.logRecords === undefined ? { ...receipt, logs: outcome.logs } : receipt
}
