import { formatQuantity } from '../../base/hex.ts'
import type { PooledSender } from '../../chain/consensus/mempool/transaction-pool.ts'
import { checksumAddress } from '../../evm/chain-types/address.ts'
import type { Transaction } from '../../evm/chain-types/transaction.ts'
import { jsonPieces, objectTexts } from './answer/json-pieces.ts'
import type { RpcContext } from './call/context.ts'
import type { MethodCall } from './call/rpc-call.ts'
import { transactionRecord } from './format/transaction-record.ts'

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

function wholePool(call: MethodCall, show: Show): Promise<unknown> {
  const { context } = call
  const { pool } = context
  const members: [string, Generator<string>][] = [
    ['pending', objectTexts(bySender(context, pool.pending(), show))],
    ['queued', objectTexts(bySender(context, pool.queued(), show))],
  ]
  return jsonPieces(call, objectTexts(members))
}

const record: Show = (transaction) => transactionRecord(transaction, undefined)

export function poolStatus({ context }: MethodCall): unknown {
  const { pending, queued } = context.pool.counts
  return { pending: formatQuantity(pending), queued: formatQuantity(queued) }
}

export function content(call: MethodCall): Promise<unknown> {
  return wholePool(call, record)
}

/** Returns the pool transactions of one sender. */
export function contentFrom(call: MethodCall, address: Uint8Array): Promise<unknown> {
  const { pending, queued } = call.context.pool.of(address)
  const members: [string, Generator<string>][] = [
    ['pending', objectTexts(byNonce(pending, record))],
    ['queued', objectTexts(byNonce(queued, record))],
  ]
  return jsonPieces(call, objectTexts(members))
}

/** Returns the pool with one line of text per transaction. */
export function inspectPool(call: MethodCall): Promise<unknown> {
  const { keccak256 } = call.context
  return wholePool(call, ({ to, value, gas, maxFeePerGas }) => {
    const target = to === undefined ? 'contract creation' : checksumAddress(to, keccak256)
    return `${target}: ${value} wei + ${gas} gas × ${maxFeePerGas} wei`
  })
}
