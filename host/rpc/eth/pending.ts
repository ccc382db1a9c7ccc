import { formatData, formatQuantity } from '../../base/hex.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { allReceipts, fullBlock } from '../answer/block-answer.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { blockRecord } from '../format/block-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'

/** The pending block. Nobody has sealed it: hash, nonce and miner are null. */
export async function pendingBlock(call: RpcCall, full: boolean): Promise<unknown> {
  const { pendingBlocks, rules, keccak256 } = call.context
  const { block, transactions } = await pendingBlocks.latest()
  const { header } = block
  const record = (shown: readonly unknown[]) => ({
    ...blockRecord(header, shown, block.ethereum, rules, keccak256),
    hash: null,
    nonce: null,
    miner: null,
  })
  if (!full) return record(transactions.map(({ hash }) => formatData(hash)))
  const show = (index: number) =>
    transactionRecord(transactions[index] as Transaction, { header, index })
  return fullBlock(call, transactions.length, show, record)
}

export async function pendingReceipts(call: RpcCall): Promise<unknown> {
  const { block, receipts } = await call.context.pendingBlocks.latest()
  return allReceipts(call, receipts, block.header)
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
