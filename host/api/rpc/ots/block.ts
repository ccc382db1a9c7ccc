import { formatQuantity } from '../../../base/hex.ts'
import { rewardsOf } from '../../../evm/execute/ethereum/rewards.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import { hashedBlock } from '../answer/block-answer.ts'
import { arrayTexts, jsonPieces, objectTexts } from '../answer/json-pieces.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import { RawJson } from '../call/result.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { getBlock } from '../eth/block.ts'
import { pendingBlock } from '../eth/pending.ts'
import { blockRecord, unsealedRecord } from '../format/block-record.ts'
import { receiptRecord } from '../format/receipt-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { type FoundBlock, findHeader, readBlock, transactionAt } from '../resolve/block-reader.ts'

/** Characters of a 4-byte selector with 0x. */
const SELECTOR = 10

/** Returns a block without the bloom and transactions, which a list of blocks does not show. */
function slimBlock({ rules, keccak256 }: RpcContext, found: FoundBlock) {
  const { block, header, receipts, isPending } = found
  const { transactions: _, ...record } = blockRecord(header, [], block.ethereum, rules, keccak256)
  const shown = isPending === true ? unsealedRecord(record) : record
  return { ...shown, logsBloom: null, transactionCount: receipts.length }
}

/** Returns the wei issued by the block: zero, except on an imported chain before the merge. */
function issuanceOf({ imported }: RpcContext, { block, header }: FoundBlock) {
  const rewards =
    imported === undefined
      ? []
      : rewardsOf(
          imported.rules.ethereumHeader(header),
          block.ethereum?.ommers ?? [],
          imported.rules.envOf(header).revision,
        )
  const sum = (kinds: readonly string[]) =>
    rewards.filter(({ kind }) => kinds.includes(kind)).reduce((all, { wei }) => all + wei, 0n)
  return {
    blockReward: formatQuantity(sum(['block'])),
    uncleReward: formatQuantity(sum(['uncle'])),
    issuance: formatQuantity(sum(['block', 'uncle'])),
  }
}

/** Returns a block without its transactions, with its issuance and total fees; null if it does not exist. */
export function getBlockDetails({ context }: MethodCall, argument: BlockArgument): unknown {
  return readBlock(context, argument, (found) =>
    found === undefined ? null : detailsOf(context, found),
  )
}

function detailsOf(context: RpcContext, found: FoundBlock): object {
  const fees = found.receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice,
    0n,
  )
  return {
    block: slimBlock(context, found),
    issuance: issuanceOf(context, found),
    totalFees: formatQuantity(fees),
  }
}

export function getBlockDetailsByHash(call: MethodCall, hash: Uint8Array): unknown {
  return getBlockDetails(call, { kind: 'hash', hash })
}

function shortTransaction(context: RpcContext, found: FoundBlock, index: number): object {
  const record = transactionRecord(transactionAt(context, found, index), { ...found, index })
  return { ...record, input: String(record.input).slice(0, SELECTOR) }
}

/** Returns a receipt without logs, which a list of transactions does not show. */
function shortReceipt(found: FoundBlock, index: number): object {
  const receipt = found.receipts[index]
  if (receipt === undefined) return {}
  const timestamp = formatQuantity(found.header.timestamp)
  const record = receiptRecord(receipt, { ...found, index, firstLog: 0 })
  return { ...record, logs: null, logsBloom: null, timestamp }
}

function* between<Value>(
  first: number,
  end: number,
  show: (index: number) => Value,
): Generator<Value> {
  for (let index = first; index < end; index++) yield show(index)
}

/** Returns a page of the transactions of a block, in order; page 0 is the last. Null if the block does not exist. */
export function getBlockTransactions(
  call: MethodCall,
  argument: BlockArgument,
  page: number,
  size: number,
): unknown {
  return readBlock(call.context, argument, (found) =>
    found === undefined ? null : pageOf(call, found, page, size),
  )
}

function pageOf(call: MethodCall, found: FoundBlock, page: number, size: number): unknown {
  const { context } = call
  const end = Math.max(0, found.receipts.length - page * size)
  const first = Math.max(0, end - size)
  const members: [string, Iterable<string>][] = Object.entries(slimBlock(context, found)).map(
    ([name, value]) => [name, [JSON.stringify(value)]],
  )
  const transactions = between(first, end, (index) => shortTransaction(context, found, index))
  members.push(['transactions', arrayTexts(transactions)])
  return jsonPieces(
    call,
    objectTexts([
      ['fullblock', objectTexts(members)],
      ['receipts', arrayTexts(between(first, end, (index) => shortReceipt(found, index)))],
    ]),
  )
}

/** Returns the latest block whose time is at most `seconds`, or the earliest block. */
export function getBlockByTimestamp(call: MethodCall, seconds: number, full: boolean): unknown {
  const { chain } = call.context
  let height = chain.earliest
  let after = chain.latest + 1
  while (height + 1 < after) {
    const middle = Math.floor((height + after) / 2)
    if (knownHeader(chain, middle).timestamp <= seconds) height = middle
    else after = middle
  }
  return getBlock(call, { kind: 'height', height, asked: BigInt(height) }, full)
}

/** Returns the header with the transaction hashes. Otterscan calls this to check that a node responds. */
export function getHeaderByNumber(call: MethodCall, argument: BlockArgument): unknown {
  if (argument.kind === 'pending') return pendingBlock(call, false)
  const { context } = call
  const header = findHeader(context, argument)
  const text = header && hashedBlock(context, header)
  return text === undefined ? null : new RawJson(text)
}
