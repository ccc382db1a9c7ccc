import { equalBytes } from '../base/bytes.ts'
import { formatQuantity } from '../base/hex.ts'
import { checksumAddress } from '../chain-types/checksum-address.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { PooledSender } from '../consensus/mempool/transaction-pool.ts'
import type { RpcContext } from './context.ts'
import { transactionRecord } from './format/transaction-record.ts'
import { jsonPieces, objectTexts } from './json-pieces.ts'
import type { RpcCall } from './method.ts'

function count(senders: readonly PooledSender[]): number {
  let sum = 0
  for (const { transactions } of senders) sum += transactions.length
  return sum
}

type Show = (transaction: Transaction) => unknown

function* byNonce(transactions: readonly Transaction[], show: Show): Generator<[string, string[]]> {
  for (const one of transactions) yield [one.nonce.toString(), [JSON.stringify(show(one))]]
}

function* bySender(
  { keccak256 }: RpcContext,
  senders: readonly PooledSender[],
  show: Show,
): Generator<[string, Generator<string>]> {
  for (const { sender, transactions } of senders) {
    yield [checksumAddress(sender, keccak256), objectTexts(byNonce(transactions, show))]
  }
}

function wholePool(call: RpcCall, show: Show): Promise<unknown> {
  const { context } = call
  const { pool } = context
  const members: [string, Generator<string>][] = [
    ['pending', objectTexts(bySender(context, pool.pending(), show))],
    ['queued', objectTexts(bySender(context, pool.queued(), show))],
  ]
  return jsonPieces(call, objectTexts(members))
}

const record: Show = (transaction) => transactionRecord(transaction, undefined)

export function status({ context }: RpcCall): unknown {
  return {
    pending: formatQuantity(count(context.pool.pending())),
    queued: formatQuantity(count(context.pool.queued())),
  }
}

export function content(call: RpcCall): Promise<unknown> {
  return wholePool(call, record)
}

/** The content of one sender. */
export function contentFrom(call: RpcCall, address: Uint8Array): Promise<unknown> {
  const { pool } = call.context
  const of = (senders: readonly PooledSender[]) => {
    const found = senders.find(({ sender }) => equalBytes(sender, address))
    return objectTexts(byNonce(found?.transactions ?? [], record))
  }
  const members: [string, Generator<string>][] = [
    ['pending', of(pool.pending())],
    ['queued', of(pool.queued())],
  ]
  return jsonPieces(call, objectTexts(members))
}

/** The same as content, each transaction as one line. */
export function inspect(call: RpcCall): Promise<unknown> {
  const { keccak256 } = call.context
  return wholePool(call, ({ to, value, gas, maxFeePerGas }) => {
    const target = to === undefined ? 'contract creation' : checksumAddress(to, keccak256)
    return `${target}: ${value} wei + ${gas} gas × ${maxFeePerGas} wei`
  })
}
