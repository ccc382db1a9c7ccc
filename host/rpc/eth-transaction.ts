import { LockstepError } from '../base/error.ts'
import { formatData } from '../base/hex.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import type { BlockArgument } from './block-argument.ts'
import { type FoundTransaction, findBlock, findTransaction, transactionAt } from './block-reader.ts'
import { firstLogIndex, receiptRecord } from './format/receipt-record.ts'
import { transactionRecord } from './format/transaction-record.ts'
import type { RpcCall } from './method.ts'

/** The longest that eth_sendRawTransactionSync waits when the caller does not say (EIP-7966). */
export const SYNC_WAIT_MS = 2000

export function sendRawTransaction({ context }: RpcCall, raw: Uint8Array): Promise<string> {
  return context.pool.add(raw).then(formatData)
}

function receiptOf(found: FoundTransaction): unknown {
  const { header, index, receipts } = found
  const receipt = receipts[index] as Receipt
  return receiptRecord(receipt, header, index, firstLogIndex(receipts, index))
}

/** Sends and waits for the receipt (EIP-7966). */
export async function sendRawTransactionSync(
  call: RpcCall,
  raw: Uint8Array,
  waitMs: number,
): Promise<unknown> {
  const { context } = call
  const mined = new Set<string>()
  let onMined = () => {}
  // Listening starts before the transaction can be in a block, so that no block is missed.
  const stop = context.heads.onBlock(({ transactionHashes }) => {
    for (const hash of transactionHashes) mined.add(formatData(hash))
    onMined()
  })
  try {
    const hash = await context.pool.add(raw)
    const key = formatData(hash)
    const limit = Math.min(waitMs, context.limits.methodTimeoutMs)
    await call.within(
      limit,
      () => notInTime(key, limit),
      (signal) =>
        new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          onMined = () => {
            if (mined.has(key)) resolve()
          }
          onMined()
        }),
    )
    const found = findTransaction(context, hash)
    return found === undefined ? null : receiptOf(found)
  } finally {
    stop()
  }
}

function notInTime(hash: string, waitMs: number): LockstepError {
  return new LockstepError(
    'SYNC_TIMEOUT',
    `transaction ${hash} was added to the pool but not mined within ${waitMs} ms`,
    { data: { hash } },
  )
}

export function getTransactionByHash({ context }: RpcCall, hash: Uint8Array): unknown {
  const found = findTransaction(context, hash)
  if (found !== undefined) {
    return transactionRecord(transactionAt(context, found, found.index), found)
  }
  const waiting = context.pool.get(hash)
  return waiting === undefined ? null : transactionRecord(waiting, undefined)
}

export function getRawTransactionByHash({ context }: RpcCall, hash: Uint8Array): unknown {
  const found = findTransaction(context, hash)
  const raw = found?.block.transactions[found.index] ?? context.pool.get(hash)?.raw
  return raw === undefined ? null : formatData(raw)
}

export function getTransactionReceipt({ context }: RpcCall, hash: Uint8Array): unknown {
  const found = findTransaction(context, hash)
  return found === undefined ? null : receiptOf(found)
}

export function getTransactionByBlockAndIndex(
  { context }: RpcCall,
  block: BlockArgument,
  index: number,
): unknown {
  const found = findBlock(context, block)
  if (found === undefined || index >= found.block.transactions.length) return null
  const { header } = found
  return transactionRecord(transactionAt(context, found, index), { header, index })
}
