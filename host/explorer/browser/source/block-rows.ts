import { formatData, type Hex } from '../../../base/hex.ts'
import { given } from '../../../client/remote-node/answer-member.ts'
import type { JsonMember } from '../../../evm/trace/bundle/bundle-json.ts'

// Blocks and transactions of a node for display. Every member is parsed, so only numbers and hex of a response reach
// a page.

/** A block of a list. */
export interface BlockRow {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly miner: Hex
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  /** Undefined before London. */
  readonly baseFee: bigint | undefined
  /** Number of its transactions. */
  readonly transactionCount: number
}

export interface BlockView extends BlockRow {
  readonly transactions: readonly TransactionRow[]
}

/** A transaction as sent, with its position. */
export interface TransactionRow {
  readonly hash: Hex
  /** EIP-2718 type; other chains have their own types. */
  readonly type: number
  readonly from: Hex
  /** Undefined for a contract creation. */
  readonly to: Hex | undefined
  readonly nonce: bigint
  readonly value: bigint
  readonly gas: bigint
  readonly input: Hex
  /** Undefined while it is pending. */
  readonly blockNumber: number | undefined
  readonly blockHash: Hex | undefined
  readonly index: number | undefined
}

export interface LogRow {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export interface ReceiptRow {
  /** Undefined before Byzantium, when receipts had no status. */
  readonly success: boolean | undefined
  readonly gasUsed: bigint
  readonly effectiveGasPrice: bigint | undefined
  readonly contractAddress: Hex | undefined
  readonly logs: readonly LogRow[]
}

export interface TransactionView extends TransactionRow {
  /** Undefined while it is pending. */
  readonly receipt: ReceiptRow | undefined
}

/** A transaction of a block with its outcome. */
export interface MinedRow extends TransactionRow {
  /** Of its block, in seconds since 1970. */
  readonly timestamp: number
  /** Undefined if the node does not give it. */
  readonly receipt: ReceiptRow | undefined
}

export function hasFailed({ receipt }: MinedRow): boolean {
  return receipt?.success === false
}

export interface AccountRow {
  readonly address: Hex
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Hex
}

const hex =
  (length?: number) =>
  (member: JsonMember): Hex =>
    formatData(member.data(length))

/** Block numbers, times and indexes are below 2^53. */
const integer = (member: JsonMember): number => member.integer()

export function blockRow(block: JsonMember): BlockRow {
  return {
    number: integer(block.at('number')),
    hash: hex(32)(block.at('hash')),
    parentHash: hex(32)(block.at('parentHash')),
    timestamp: integer(block.at('timestamp')),
    miner: hex(20)(block.at('miner')),
    gasUsed: block.at('gasUsed').quantity(64),
    gasLimit: block.at('gasLimit').quantity(64),
    baseFee: given(block.at('baseFeePerGas'), (fee) => fee.quantity(256)),
    transactionCount: block.at('transactions').items().length,
  }
}

export function blockView(block: JsonMember): BlockView {
  return {
    ...blockRow(block),
    transactions: block.at('transactions').items().map(transactionRow),
  }
}

/** Returns the transactions of a block with their receipts, last first. */
export function minedRows(block: JsonMember, receipts: JsonMember): readonly MinedRow[] {
  const timestamp = integer(block.at('timestamp'))
  const all = given(receipts, (list) => list.items())
  return block
    .at('transactions')
    .items()
    .map((transaction, i) => minedRow(transaction, all?.[i], timestamp))
    .reverse()
}

function minedRow(
  transaction: JsonMember,
  receipt: JsonMember | undefined,
  timestamp: number,
): MinedRow {
  const row = transactionRow(transaction)
  if (receipt === undefined) return { ...row, timestamp, receipt: undefined }
  const hash = receipt.at('transactionHash')
  if (hex(32)(hash) !== row.hash) throw hash.wants('the hash of the transaction')
  return { ...row, timestamp, receipt: receiptRow(receipt) }
}

/** Returns a page of ots_searchTransactionsBefore, latest first. */
export function searchedRows(page: JsonMember): {
  readonly rows: readonly MinedRow[]
  readonly isLast: boolean
} {
  const receipts = page.at('receipts').items()
  const rows = page
    .at('txs')
    .items()
    .map((transaction, i) => {
      const receipt = receipts[i]
      if (receipt === undefined) throw page.at('receipts').wants('a receipt of each transaction')
      return minedRow(transaction, receipt, integer(receipt.at('timestamp')))
    })
  return { rows, isLast: page.at('lastPage').flag() }
}

export function transactionRow(transaction: JsonMember): TransactionRow {
  return {
    hash: hex(32)(transaction.at('hash')),
    type: given(transaction.at('type'), integer) ?? 0,
    from: hex(20)(transaction.at('from')),
    to: given(transaction.at('to'), hex(20)),
    nonce: transaction.at('nonce').quantity(64),
    value: transaction.at('value').quantity(256),
    gas: transaction.at('gas').quantity(64),
    input: hex()(transaction.at('input')),
    blockNumber: given(transaction.at('blockNumber'), integer),
    blockHash: given(transaction.at('blockHash'), hex(32)),
    index: given(transaction.at('transactionIndex'), integer),
  }
}

export function receiptRow(receipt: JsonMember): ReceiptRow {
  return {
    success: given(receipt.at('status'), (status) => status.oneOf(['0x0', '0x1']) === '0x1'),
    gasUsed: receipt.at('gasUsed').quantity(64),
    effectiveGasPrice: given(receipt.at('effectiveGasPrice'), (price) => price.quantity(256)),
    contractAddress: given(receipt.at('contractAddress'), hex(20)),
    // Lists of Otterscan's methods leave the logs out.
    logs: given(receipt.at('logs'), (logs) => logs.items().map(logRow)) ?? [],
  }
}

function logRow(log: JsonMember): LogRow {
  return {
    address: hex(20)(log.at('address')),
    topics: log.at('topics').items().map(hex(32)),
    data: hex()(log.at('data')),
  }
}
