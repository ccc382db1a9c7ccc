import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity, type Hex } from '../../../base/hex.ts'
import { decodeRlp, type RlpItem } from '../../../base/rlp.ts'

/** A named part of a receipt, in hex. */
export type ReceiptPart = readonly [name: string, value: Hex]

/** Bytes of a state root, which replaced the status before Byzantium (EIP-658). */
const ROOT_BYTES = 32
/** Lower bound of an RLP list's first byte. A typed receipt starts with its type (EIP-2718). */
const RLP_LIST = 0xc0

const FIELDS = ['status', 'cumulativeGasUsed', 'logsBloom', 'logs'] as const
const LOG_FIELDS = ['address', 'topics', 'data'] as const

function bytesOf(item: RlpItem | undefined, name: string): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw new LockstepError('INVALID_RLP', `${name} is not a string of bytes`)
}

function listOf(item: RlpItem | undefined, name: string, size?: number): readonly RlpItem[] {
  if (item !== undefined && !(item instanceof Uint8Array)) {
    if (size === undefined || item.length === size) return item
  }
  const wanted = size === undefined ? 'a list' : `a list of ${size}`
  throw new LockstepError('INVALID_RLP', `${name} is not ${wanted}`)
}

function logParts(log: RlpItem, index: number): ReceiptPart[] {
  const name = `logs[${index}]`
  const [address, topics, data] = listOf(log, name, LOG_FIELDS.length)
  const topicParts = listOf(topics, `${name}.topics`).map(
    (topic, at): ReceiptPart => [
      `${name}.topics[${at}]`,
      formatData(bytesOf(topic, `${name}.topics[${at}]`)),
    ],
  )
  return [
    [`${name}.address`, formatData(bytesOf(address, `${name}.address`))],
    ...topicParts,
    [`${name}.data`, formatData(bytesOf(data, `${name}.data`))],
  ]
}

/**
 * Returns all parts of a receipt's consensus encoding, in order. Receipts with the same parts are byte-identical.
 * @throws INVALID_RLP
 */
export function receiptParts(encoded: Uint8Array): ReceiptPart[] {
  const first = encoded[0] ?? 0
  const isTyped = first < RLP_LIST
  const payload = decodeRlp(isTyped ? encoded.subarray(1) : encoded)
  const [status, cumulativeGasUsed, logsBloom, logs] = listOf(payload, 'it', FIELDS.length)
  const outcome = bytesOf(status, 'status')
  return [
    ['type', formatQuantity(isTyped ? first : 0)],
    [outcome.length === ROOT_BYTES ? 'root' : 'status', formatData(outcome)],
    ['cumulativeGasUsed', formatData(bytesOf(cumulativeGasUsed, 'cumulativeGasUsed'))],
    ['logsBloom', formatData(bytesOf(logsBloom, 'logsBloom'))],
    ...listOf(logs, 'logs').flatMap(logParts),
  ]
}
