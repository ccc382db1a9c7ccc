import type { Receipt } from '../../../host/evm/chain-types/receipt.ts'

/**
 * Returns a receipt with its logs as an own property, like one read from the store. A new receipt has records
 * instead.
 */
export function plainReceipt(receipt: Receipt): Receipt {
  return { ...receipt, logs: receipt.logs, logRecords: undefined }
}
