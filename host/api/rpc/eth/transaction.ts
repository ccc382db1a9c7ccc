import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { ReadContext, RpcContext } from '../call/context.ts'
import { RawJson } from '../call/result.ts'
import type { MethodCall, ReadCall } from '../call/rpc-call.ts'
import { receiptText } from '../format/receipt-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import {
  type FoundTransaction,
  findHeader,
  findTransaction,
  rawTransaction,
  signedBy,
} from '../resolve/block-reader.ts'
import { pendingRawTransactionAt, pendingTransactionAt } from './pending.ts'

/** Default wait of eth_sendRawTransactionSync in milliseconds (EIP-7966). */
export const SYNC_WAIT_MS = 2000

/** Resolves with the hash of a transaction that the pool has accepted, and logs it. */
export async function submitted(
  { observer, dev }: RpcContext,
  adding: Promise<Uint8Array>,
): Promise<Uint8Array> {
  const hash = await adding
  if (dev?.isLogging !== false) observer.onSubmit(hash)
  return hash
}

function receiptOf({ header, index, receipt, firstLogIndex }: FoundTransaction): string {
  return receiptText(receipt, { header, index, firstLog: firstLogIndex })
}

/** Returns the response about a mined transaction, cached or from `write`; undefined if it is not mined. */
function minedAnswer(
  context: ReadContext,
  kind: 'receipt' | 'transaction',
  hash: Uint8Array,
  write: (found: FoundTransaction) => string,
): RawJson | undefined {
  const { chain, answers } = context
  const place = chain.locate(hash)
  const header = place && chain.header(place.height)
  if (place === undefined || header === undefined) return undefined
  const key = `${kind} ${place.height} ${place.index}`
  const known = answers.get(key, header)
  if (known !== undefined) return known
  const placed = chain.receipt(place.height, place.index)
  return placed && answers.keep(key, header, write({ ...placed, header, index: place.index }))
}

/** Sends a transaction and waits for its receipt (EIP-7966). */
export function sendRawTransactionSync(
  call: MethodCall,
  raw: Uint8Array,
  waitMs: number,
): Promise<unknown> {
  const { context } = call
  return receiptOfSent(call, waitMs, () => context.submit(raw))
}

/**
 * Returns the receipt of a transaction that `send` submits to the pool.
 * @throws SYNC_TIMEOUT with the hash if it is not mined in time
 */
export async function receiptOfSent(
  call: MethodCall,
  waitMs: number,
  send: () => Promise<Uint8Array>,
): Promise<unknown> {
  const { context } = call
  const mined = new Set<string>()
  let onMined = () => {}
  // Listens before the transaction can be in a block, so that no block is missed.
  const stop = context.heads.onBlock(({ transactionHashes }) => {
    for (const hash of transactionHashes) mined.add(formatData(hash))
    onMined()
  })
  try {
    const hash = await send()
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
    return found === undefined ? null : new RawJson(receiptOf(found))
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

export function getTransactionByHash({ context }: ReadCall, hash: Uint8Array): unknown {
  const mined = minedAnswer(context, 'transaction', hash, (found) => {
    const raw = rawTransaction(context, found)
    return JSON.stringify(transactionRecord(signedBy(context, raw, found.receipt), found))
  })
  if (mined !== undefined) return mined
  const waiting = context.pool.get(hash)
  return waiting === undefined ? null : transactionRecord(waiting, undefined)
}

/** Returns the network encoding, or 0x if there is no such transaction. */
export function getRawTransactionByHash({ context }: ReadCall, hash: Uint8Array): string {
  const found = findTransaction(context, hash)
  const raw = found === undefined ? context.pool.get(hash)?.raw : rawTransaction(context, found)
  return raw === undefined ? '0x' : formatData(raw)
}

export function getTransactionReceipt({ context }: ReadCall, hash: Uint8Array): unknown {
  return minedAnswer(context, 'receipt', hash, receiptOf) ?? null
}

export function getTransactionByBlockAndIndex(
  call: ReadCall,
  block: BlockArgument,
  index: number,
): unknown {
  if (block.kind === 'pending') return pendingTransactionAt(call, index)
  const { context } = call
  const header = findHeader(context, block)
  if (header === undefined) return null
  const raw = context.chain.transaction(header.number, index)
  const placed = context.chain.receipt(header.number, index)
  if (raw === undefined || placed === undefined) return null
  return transactionRecord(signedBy(context, raw, placed.receipt), { header, index })
}

/** Returns the network encoding, or 0x if there is no such transaction. */
export function getRawTransactionByBlockAndIndex(
  call: ReadCall,
  block: BlockArgument,
  index: number,
): string | Promise<string> {
  if (block.kind === 'pending') return pendingRawTransactionAt(call, index)
  const { context } = call
  const header = findHeader(context, block)
  const raw = header && context.chain.transaction(header.number, index)
  return raw === undefined ? '0x' : formatData(raw)
}
