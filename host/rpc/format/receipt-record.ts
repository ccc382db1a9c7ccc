import { formatData, formatQuantity } from '../../base/hex.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import type { Receipt } from '../../chain-types/receipt.ts'
import { logRecord } from './log-record.ts'

/** `firstLog` is the block-wide number of the receipt's first log. */
export function receiptRecord(
  receipt: Receipt,
  header: BlockHeader,
  index: number,
  firstLog: number,
): Record<string, unknown> {
  const { contractAddress, to, transactionHash, stateRoot, blobGas } = receipt
  return {
    blockHash: formatData(header.hash),
    blockNumber: formatQuantity(header.number),
    contractAddress: contractAddress === undefined ? null : formatData(contractAddress),
    cumulativeGasUsed: formatQuantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: formatQuantity(receipt.effectiveGasPrice),
    from: formatData(receipt.from),
    gasUsed: formatQuantity(receipt.gasUsed),
    logs: receipt.logs.map((log, i) =>
      logRecord(log, { header, transactionHash, transactionIndex: index, logIndex: firstLog + i }),
    ),
    logsBloom: formatData(receipt.logsBloom),
    // The status came with EIP-658, in place of the root
    ...(stateRoot === undefined
      ? { status: formatQuantity(receipt.status) }
      : { root: formatData(stateRoot) }),
    to: to === undefined ? null : formatData(to),
    transactionHash: formatData(transactionHash),
    transactionIndex: formatQuantity(index),
    type: formatQuantity(receipt.type),
    ...(blobGas !== undefined && {
      blobGasUsed: formatQuantity(blobGas.used),
      blobGasPrice: formatQuantity(blobGas.price),
    }),
  }
}

/** Records of all receipts of a block, one by one. */
export function* receiptRecords(
  receipts: readonly Receipt[],
  header: BlockHeader,
): Generator<Record<string, unknown>> {
  let firstLog = 0
  for (const [index, receipt] of receipts.entries()) {
    yield receiptRecord(receipt, header, index, firstLog)
    firstLog += receipt.logs.length
  }
}
