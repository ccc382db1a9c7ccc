import { equalBytes } from '../base/bytes.ts'
import { formatQuantity } from '../base/hex.ts'
import { checksumAddress } from '../chain-types/checksum-address.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { PooledSender } from '../consensus/mempool/transaction-pool.ts'
import type { RpcContext } from './context.ts'
import { transactionRecord } from './format/transaction-record.ts'
import type { RpcCall } from './method.ts'

function count(senders: readonly PooledSender[]): number {
  let sum = 0
  for (const { transactions } of senders) sum += transactions.length
  return sum
}

function byNonce(
  { keccak256 }: RpcContext,
  senders: readonly PooledSender[],
  show: (transaction: Transaction) => unknown,
) {
  return Object.fromEntries(
    senders.map(({ sender, transactions }) => [
      checksumAddress(sender, keccak256),
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
    pending: byNonce(context, context.pool.pending(), show),
    queued: byNonce(context, context.pool.queued(), show),
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
    const target = to === undefined ? 'contract creation' : checksumAddress(to, context.keccak256)
    return `${target}: ${value} wei + ${gas} gas × ${maxFeePerGas} wei`
  }
  return {
    pending: byNonce(context, context.pool.pending(), show),
    queued: byNonce(context, context.pool.queued(), show),
  }
}
