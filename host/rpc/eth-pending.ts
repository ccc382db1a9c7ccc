import { formatData, formatQuantity } from '../base/hex.ts'
import { blockRecord } from './format/block-record.ts'
import { receiptRecords } from './format/receipt-record.ts'
import { transactionRecord } from './format/transaction-record.ts'
import type { RpcCall } from './method.ts'

/** The pending block. Nobody has sealed it: hash, nonce and miner are null. */
export async function pendingBlock({ context }: RpcCall, full: boolean): Promise<unknown> {
  const { pendingBlocks, rules, keccak256 } = context
  const { block, transactions } = await pendingBlocks.latest()
  const { header } = block
  const shown = transactions.map((one, index) =>
    full ? transactionRecord(one, { header, index }) : formatData(one.hash),
  )
  const record = blockRecord(header, shown, block.ethereum, rules, keccak256)
  return { ...record, hash: null, nonce: null, miner: null }
}

export async function pendingReceipts({ context }: RpcCall): Promise<unknown> {
  const { block, receipts } = await context.pendingBlocks.latest()
  return receiptRecords(receipts, block.header)
}

export async function pendingTransactionCount({ context }: RpcCall): Promise<string> {
  const { transactions } = await context.pendingBlocks.latest()
  return formatQuantity(transactions.length)
}

export async function pendingTransactionAt({ context }: RpcCall, index: number): Promise<unknown> {
  const { block, transactions } = await context.pendingBlocks.latest()
  const found = transactions[index]
  return found === undefined ? null : transactionRecord(found, { header: block.header, index })
}
