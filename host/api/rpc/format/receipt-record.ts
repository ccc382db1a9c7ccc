import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import { RpcJsonWriter } from './json-writer.ts'
import { writeLog } from './log-record.ts'

/** Position of a receipt; `firstLog` is the index of its first log in the block. */
export interface ReceiptPosition {
  readonly header: BlockHeader
  readonly index: number
  readonly firstLog: number
  /** True in the pending block, which has no hash yet. */
  readonly isPending?: true
}

/** Writes a receipt in the format of execution-apis. */
function writeReceipt(writer: RpcJsonWriter, receipt: Receipt, place: ReceiptPosition): void {
  const { header, index, isPending } = place
  const { stateRoot, blobGas } = receipt
  writer.json('{"blockHash":')
  writer.dataOrNull(isPending === true ? undefined : header.hash)
  writer.json(',"blockNumber":')
  writer.quantity(header.number)
  writer.json(',"contractAddress":')
  writer.dataOrNull(receipt.contractAddress)
  writer.json(',"cumulativeGasUsed":')
  writer.quantity(receipt.cumulativeGasUsed)
  writer.json(',"effectiveGasPrice":')
  writer.quantity(receipt.effectiveGasPrice)
  writer.json(',"from":')
  writer.data(receipt.from)
  writer.json(',"gasUsed":')
  writer.quantity(receipt.gasUsed)
  writer.json(',"logs":[')
  writeLogs(writer, receipt, place)
  writer.json('],"logsBloom":')
  writer.data(receipt.logsBloom)
  // EIP-658 replaced the root by the status.
  if (stateRoot === undefined) {
    writer.json(',"status":')
    writer.quantity(receipt.status)
  } else {
    writer.json(',"root":')
    writer.data(stateRoot)
  }
  writer.json(',"to":')
  writer.dataOrNull(receipt.to)
  writer.json(',"transactionHash":')
  writer.data(receipt.transactionHash)
  writer.json(',"transactionIndex":')
  writer.quantity(index)
  writer.json(',"type":')
  writer.quantity(receipt.type)
  if (blobGas !== undefined) {
    writer.json(',"blobGasUsed":')
    writer.quantity(blobGas.used)
    writer.json(',"blobGasPrice":')
    writer.quantity(blobGas.price)
  }
  writer.json('}')
}

function writeLogs(
  writer: RpcJsonWriter,
  { logs, transactionHash }: Receipt,
  { header, index, firstLog, isPending }: ReceiptPosition,
): void {
  for (const [i, log] of logs.entries()) {
    if (i > 0) writer.json(',')
    writeLog(writer, log, {
      header,
      transactionHash,
      transactionIndex: index,
      logIndex: firstLog + i,
      ...(isPending && { isPending }),
    })
  }
}

export function receiptText(
  receipt: Receipt,
  place: ReceiptPosition,
  writer = new RpcJsonWriter(),
): string {
  writeReceipt(writer, receipt, place)
  return writer.takeText()
}

/** Returns a receipt as an object, for results with additional fields. */
export function receiptRecord(receipt: Receipt, place: ReceiptPosition): Record<string, unknown> {
  return JSON.parse(receiptText(receipt, place)) as Record<string, unknown>
}

/** Yields the JSON of each receipt of a block. */
export function* receiptTexts(
  receipts: Iterable<Receipt>,
  block: Pick<ReceiptPosition, 'header' | 'isPending'>,
): Generator<string> {
  const writer = new RpcJsonWriter()
  let index = 0
  let firstLog = 0
  for (const receipt of receipts) {
    yield receiptText(receipt, { ...block, index, firstLog }, writer)
    index++
    firstLog += receipt.logs.length
  }
}
