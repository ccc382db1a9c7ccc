import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { PendingBlock } from '../../../evm/execute/pending-block.ts'
import { allReceipts, fullBlock } from '../answer/block-answer.ts'
import type { MethodCall, ReadCall } from '../call/rpc-call.ts'
import { blockRecord, headerRecord, unsealedRecord } from '../format/block-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'

/** Returns the pending block. */
export function pendingBlock(call: ReadCall, full: boolean): Promise<unknown> {
  return call.context.pendingBlocks.latest().then((pending) => blockAnswer(call, pending, full))
}

function blockAnswer(
  call: ReadCall,
  { block, transactions }: PendingBlock,
  full: boolean,
): unknown {
  const { rules, keccak256 } = call.context
  const { header } = block
  const record = (shown: readonly unknown[]) =>
    unsealedRecord(blockRecord(header, shown, block.ethereum, rules, keccak256))
  if (!full) return record(transactions.map(({ hash }) => formatData(hash)))
  const show = (index: number) =>
    transactionRecord(transactions[index] as Transaction, { header, index, isPending: true })
  return fullBlock(call, transactions.length, show, record)
}

export function pendingHeader({ context }: ReadCall): Promise<unknown> {
  const { pendingBlocks, rules } = context
  return pendingBlocks
    .latest()
    .then(({ block }) => unsealedRecord(headerRecord(block.header, rules)))
}

export function pendingReceipts(call: ReadCall): Promise<unknown> {
  const { pendingBlocks } = call.context
  return pendingBlocks
    .latest()
    .then(({ block: { header }, receipts }) =>
      allReceipts(call, receipts.length, receipts, { header, isPending: true }),
    )
}

export function pendingTransactionCount({ context }: ReadCall): Promise<string> {
  return context.pendingBlocks
    .latest()
    .then(({ transactions }) => formatQuantity(transactions.length))
}

export function pendingTransactionAt({ context }: ReadCall, index: number): Promise<unknown> {
  return context.pendingBlocks.latest().then(({ block, transactions }) => {
    const found = transactions[index]
    if (found === undefined) return null
    return transactionRecord(found, { header: block.header, index, isPending: true })
  })
}

export function pendingRawTransactionAt({ context }: ReadCall, index: number): Promise<string> {
  return context.pendingBlocks.latest().then(({ transactions }) => {
    const found = transactions[index]
    return found === undefined ? '0x' : formatData(found.raw)
  })
}

/** Returns the pending transactions of the accounts that the node acts for; none if it is no development chain. */
export function pendingOfAccounts({ context: { dev, pool } }: MethodCall): unknown[] {
  if (dev === undefined) return []
  const { accounts } = dev
  return pool
    .pending()
    .filter(({ sender }) => accounts.keyOf(sender) !== undefined || accounts.mayAct(sender))
    .flatMap(({ transactions }) => transactions)
    .map((transaction) => transactionRecord(transaction, undefined))
}
