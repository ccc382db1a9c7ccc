import { formatData, formatQuantity } from '../../../base/hex.ts'
import { encodeEthereumBlock, finishedHeader } from '../../../evm/chain-types/ethereum-block.ts'
import { encodeRlpHeader } from '../../../evm/chain-types/ethereum-header.ts'
import { allReceipts, fullBlock, hashedBlock } from '../answer/block-answer.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall, ReadCall } from '../call/rpc-call.ts'
import { blockRecord, headerRecord } from '../format/block-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { findHeight } from '../resolve/block-lookup.ts'
import { findBlock, findHeader, transactionAt } from '../resolve/block-reader.ts'
import { pendingBlock, pendingHeader, pendingReceipts, pendingTransactionCount } from './pending.ts'

export function getBlock(call: ReadCall, argument: BlockArgument, full: boolean): unknown {
  if (argument.kind === 'pending') return pendingBlock(call, full)
  const { context } = call
  const header = findHeader(context, argument)
  if (header === undefined) return null
  const key = `block ${header.number} ${full}`
  const known = context.answers.get(key, header)
  if (known !== undefined) return known
  if (!full) {
    const text = hashedBlock(context, header)
    return text === undefined ? null : context.answers.keep(key, header, text)
  }
  const found = findBlock(context, argument)
  if (found === undefined) return null
  const { block, receipts } = found
  const record = (transactions: readonly unknown[]) =>
    blockRecord(header, transactions, block.ethereum, context.rules, context.keccak256)
  const show = (index: number) =>
    transactionRecord(transactionAt(context, found, index), { header, index })
  const answer = fullBlock(call, receipts.length, show, record)
  // With many transactions the result is streamed, and never in memory as a whole.
  if (answer instanceof Promise) return answer
  return context.answers.keep(key, header, JSON.stringify(answer))
}

/** Returns the header in the format of newHeads; null if it does not exist. */
export function getHeader(call: ReadCall, argument: BlockArgument): unknown {
  if (argument.kind === 'pending') return pendingHeader(call)
  const { context } = call
  const header = findHeader(context, argument)
  return header === undefined ? null : headerRecord(header, context.rules)
}

export function getBlockByHash(call: ReadCall, hash: Uint8Array, full: boolean): unknown {
  return getBlock(call, { kind: 'hash', hash }, full)
}

export function getBlockReceipts(call: ReadCall, argument: BlockArgument): unknown {
  if (argument.kind === 'pending') return pendingReceipts(call)
  const { context } = call
  const header = findHeader(context, argument)
  const count = header && context.chain.transactionCount(header.number)
  const receipts = header && context.chain.eachReceipt(header.number)
  if (header === undefined || count === undefined || receipts === undefined) return null
  return allReceipts(call, count, receipts, { header })
}

export function getTransactionCountOfBlock(call: ReadCall, argument: BlockArgument): unknown {
  if (argument.kind === 'pending') return pendingTransactionCount(call)
  const { context } = call
  const height = findHeight(context, argument)
  const count = height === undefined ? undefined : context.chain.transactionCount(height)
  return count === undefined ? null : formatQuantity(count)
}

export function getUncleCount({ context }: MethodCall, argument: BlockArgument): unknown {
  if (argument.kind === 'pending') return '0x0'
  const height = findHeight(context, argument)
  if (height === undefined) return null
  return formatQuantity(context.chain.body(height)?.ommers.length ?? 0)
}

/** Returns an uncle as a block without transactions; null if there is none. */
export function getUncle({ context }: MethodCall, argument: BlockArgument, index: number): unknown {
  if (argument.kind === 'pending') return null
  const height = findHeight(context, argument)
  if (height === undefined) return null
  const ommer = context.chain.body(height)?.ommers[index]
  if (ommer === undefined) return null
  const { keccak256 } = context
  const body = { ommers: [], withdrawals: undefined }
  const size = encodeEthereumBlock(ommer, [], body).length
  const header = finishedHeader(ommer, keccak256(encodeRlpHeader(ommer)), size, 0n)
  const { transactions: _, ...record } = blockRecord(header, [], body, context.rules, keccak256)
  return record
}

/** Returns the history that this node serves (execution-apis `eth_capabilities`). */
export function capabilities({ context }: MethodCall): unknown {
  const { chain, state, imported } = context
  const header = findHeader(context, { kind: 'latest' })
  const from = (oldest: number) => ({ disabled: false, oldestBlock: formatQuantity(oldest) })
  return {
    head: {
      number: formatQuantity(chain.latest),
      hash: header === undefined ? null : formatData(header.hash),
    },
    state: from(state.evmWholeFrom),
    tx: from(chain.earliest),
    logs: from(chain.earliest),
    receipts: from(chain.earliest),
    blocks: from(chain.earliest),
    // The state store of a native chain stores values, but no tree above them.
    stateproofs: imported === undefined ? { disabled: true } : from(state.evmWholeFrom),
  }
}
