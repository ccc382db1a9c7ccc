import { equalBytes } from '../base/bytes.ts'
import { formatData, formatQuantity } from '../base/hex.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { PooledSender } from '../consensus/mempool/transaction-pool.ts'
import { transactionRecord } from './format/transaction-record.ts'
import type { RpcCall } from './method.ts'

function count(senders: readonly PooledSender[]): number {
  let sum = 0
  for (const { transactions } of senders) sum += transactions.length
  return sum
}

function byNonce(senders: readonly PooledSender[], show: (transaction: Transaction) => unknown) {
  return Object.fromEntries(
    senders.map(({ sender, transactions }) => [
      formatData(sender),
      Object.fromEntries(transactions.map((one) => [one.nonce.toString(), show(one)])),
    ]),
  )
}

export function status({ context }: RpcCall): unknown {
  return {
    pending: formatQuantity(count(context.pool.pending())),
    queued: formatQuantity(count(context.pool.queued())),
  }
}

export function content({ context }: RpcCall): unknown {
  const show = (transaction: Transaction) => transactionRecord(transaction, undefined)
  return {
    pending: byNonce(context.pool.pending(), show),
    queued: byNonce(context.pool.queued(), show),
  }
}

/** The content of one sender. */
export function contentFrom({ context }: RpcCall, address: Uint8Array): unknown {
  const of = (senders: readonly PooledSender[]) => {
    const found = senders.find(({ sender }) => equalBytes(sender, address))
    const transactions = found?.transactions ?? []
    return Object.fromEntries(
      transactions.map((one) => [one.nonce.toString(), transactionRecord(one, undefined)]),
    )
  }
  return { pending: of(context.pool.pending()), queued: of(context.pool.queued()) }
}

/** The same as content, each transaction as one line. */
export function inspect({ context }: RpcCall): unknown {
  const show = ({ to, value, gas, maxFeePerGas }: Transaction) => {
    const target = to === undefined ? 'contract creation' : formatData(to)
    return `${target}: ${value} wei + ${gas} gas × ${maxFeePerGas} wei`
  }
  return {
    pending: byNonce(context.pool.pending(), show),
    queued: byNonce(context.pool.queued(), show),
  }
}
