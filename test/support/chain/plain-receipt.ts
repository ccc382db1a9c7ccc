import type { Receipt } from '../../../host/evm/chain-types/receipt.ts'

/** A receipt with its logs as a property of its own, as one that is read has them: one that has just been made has records. */
export function plainReceipt(receipt: Receipt): Receipt {
  return { ...receipt, logs: receipt.logs, logRecords: undefined }
}
