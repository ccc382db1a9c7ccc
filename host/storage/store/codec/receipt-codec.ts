import { LockstepError } from '../../../base/error.ts'
import { requireCount, requireLength } from '../../../base/writable.ts'
import type { Log } from '../../../evm/chain-types/log.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { TransactionType } from '../../../evm/chain-types/transaction.ts'
import { recordOffsets, writeRecord } from '../../../evm/engine/log-records.ts'
import { readBloom, writeBloom } from './block-codec.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

/** One byte holds the type (low bits) and which of the optional parts follow. */
const TYPE = 0x07
const MOST_TYPE = 4
const SUCCEEDED = 0x08
const HAS_TO = 0x10
const HAS_CONTRACT = 0x20
const HAS_STATE_ROOT = 0x40
const HAS_BLOB_GAS = 0x80

const ADDRESS = 20
const TOPIC = 32
const HASH = 32
/** A receipt's hash comes after its flags byte and the hash's length byte. */
const HASH_OFFSET = 2

function writeLog(writer: ByteWriter, log: Log): void {
  requireLength(log.address, ADDRESS, 'the address of a log')
  writer.bytes(log.address)
  writer.uint(log.topics.length)
  for (const topic of log.topics) {
    requireLength(topic, TOPIC, 'a topic')
    writer.bytes(topic)
  }
  writer.bytes(log.data)
}

/** Copying is faster than creating a view for each part of a log. */
function writeLogs(writer: ByteWriter, receipt: Receipt): void {
  const { logRecords } = receipt
  if (logRecords === undefined) {
    writer.uint(receipt.logs.length)
    for (const log of receipt.logs) writeLog(writer, log)
    return
  }
  const offsets = recordOffsets(logRecords)
  writer.uint(offsets.length)
  for (const at of offsets) writeRecord(logRecords, at, writer)
}

function readLog(reader: ByteReader): Log {
  const address = reader.bytes()
  const topics: Uint8Array[] = []
  for (let rest = reader.uint(); rest > 0; rest--) topics.push(reader.bytes())
  return { address, topics, data: reader.bytes() }
}

function writeReceipt(writer: ByteWriter, receipt: Receipt): void {
  if (!(receipt.type >= 0 && receipt.type <= MOST_TYPE))
    requireCount(receipt.type, 'a type', MOST_TYPE)
  if (receipt.status !== 0 && receipt.status !== 1) requireCount(receipt.status, 'a status', 1)
  // Logs and hashes are found by these fixed lengths, without decoding the receipt.
  requireLength(receipt.transactionHash, HASH, 'a transaction hash')
  writer.byte(
    receipt.type |
      (receipt.status === 1 ? SUCCEEDED : 0) |
      (receipt.to === undefined ? 0 : HAS_TO) |
      (receipt.contractAddress === undefined ? 0 : HAS_CONTRACT) |
      (receipt.stateRoot === undefined ? 0 : HAS_STATE_ROOT) |
      (receipt.blobGas === undefined ? 0 : HAS_BLOB_GAS),
  )
  writer.bytes(receipt.transactionHash)
  writer.bytes(receipt.from)
  if (receipt.to !== undefined) writer.bytes(receipt.to)
  if (receipt.contractAddress !== undefined) writer.bytes(receipt.contractAddress)
  writer.big(receipt.gasUsed)
  writer.big(receipt.cumulativeGasUsed)
  writer.big(receipt.effectiveGasPrice)
  writeLogs(writer, receipt)
  writeBloom(writer, receipt.logsBloom)
  if (receipt.stateRoot !== undefined) writer.bytes(receipt.stateRoot)
  if (receipt.blobGas !== undefined) {
    writer.big(receipt.blobGas.used)
    writer.big(receipt.blobGas.price)
  }
}

/** Reads the receipt at the position of `reader`. @throws STORE_CORRUPTED */
export function readReceipt(reader: ByteReader): Receipt {
  const flags = reader.byte()
  const type = flags & TYPE
  if (type > MOST_TYPE) throw new LockstepError('STORE_CORRUPTED', `stored receipt of type ${type}`)
  const transactionHash = reader.bytes()
  const from = reader.bytes()
  const to = flags & HAS_TO ? reader.bytes() : undefined
  const contractAddress = flags & HAS_CONTRACT ? reader.bytes() : undefined
  const gasUsed = reader.big()
  const cumulativeGasUsed = reader.big()
  const effectiveGasPrice = reader.big()
  const logs: Log[] = []
  for (let rest = reader.uint(); rest > 0; rest--) logs.push(readLog(reader))
  return {
    type: type as TransactionType,
    transactionHash,
    from,
    to,
    contractAddress,
    status: flags & SUCCEEDED ? 1 : 0,
    gasUsed,
    cumulativeGasUsed,
    effectiveGasPrice,
    logs,
    logsBloom: readBloom(reader),
    ...(flags & HAS_STATE_ROOT ? { stateRoot: reader.bytes() } : {}),
    ...(flags & HAS_BLOB_GAS ? { blobGas: { used: reader.big(), price: reader.big() } } : {}),
  }
}

/** Returns what `encodeReceipts` returns for `count` receipts that are encoded already, one after another. */
export function countReceipts(count: number, receipts: Uint8Array): Uint8Array {
  const writer = new ByteWriter(receipts.length + 8)
  writer.uint(count)
  writer.raw(receipts)
  return writer.finish()
}

/** Called with the start and end of a log's address (position 0) or of the topic before `position`. */
export type LogItemVisitor = (position: number, start: number, end: number) => void

function skipLog(reader: ByteReader, visit: LogItemVisitor | undefined): void {
  reader.skipBytes()
  visit?.(0, reader.offset - ADDRESS, reader.offset)
  const topics = reader.uint()
  for (let position = 1; position <= topics; position++) {
    reader.skipBytes()
    visit?.(position, reader.offset - TOPIC, reader.offset)
  }
  reader.skipBytes()
}

/**
 * Skips the receipt at the position of `reader`, reading only lengths.
 * @returns the number of its logs.
 * @throws STORE_CORRUPTED
 */
export function skipReceipt(reader: ByteReader, visit?: LogItemVisitor): number {
  const flags = reader.byte()
  reader.skipBytes()
  reader.skipBytes()
  if (flags & HAS_TO) reader.skipBytes()
  if (flags & HAS_CONTRACT) reader.skipBytes()
  for (let i = 0; i < 3; i++) reader.skipBig()
  const logs = reader.uint()
  for (let rest = logs; rest > 0; rest--) skipLog(reader, visit)
  reader.skipBytes()
  if (flags & HAS_STATE_ROOT) reader.skipBytes()
  if (flags & HAS_BLOB_GAS) for (let i = 0; i < 2; i++) reader.skipBig()
  return logs
}

/** Numbers per log in the result of `locateLogs`. */
export const LOG_ROW = 4

/**
 * Locates the logs of encoded receipts, with `LOG_ROW` numbers each: the index of the transaction, the offset of its
 * hash, the offset of the log's address, and the number of topics. The topic at a position, from 0, starts
 * `topicOffset` bytes after the address. The data follows the last topic.
 * @throws STORE_CORRUPTED
 */
export function locateLogs(receipts: Uint8Array): Int32Array {
  const rows: number[] = []
  const reader = new ByteReader(receipts)
  const count = reader.uint()
  for (let index = 0; index < count; index++) {
    const hashAt = reader.offset + HASH_OFFSET
    skipReceipt(reader, (position, start) => {
      if (position === 0) rows.push(index, hashAt, start, 0)
      else rows[rows.length - 1] = position
    })
  }
  return Int32Array.from(rows)
}

/** Returns the offset of the topic at a position, from 0, relative to the log's address. */
export function topicOffset(position: number): number {
  // After the number of topics, each topic follows a byte with its length
  return ADDRESS + 1 + position * (1 + TOPIC) + 1
}

/** Returns the transaction hashes of encoded receipts: views into them. @throws STORE_CORRUPTED */
export function receiptHashes(receipts: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(receipts)
  const hashes: Uint8Array[] = []
  for (let rest = reader.uint(); rest > 0; rest--) {
    const start = reader.offset + HASH_OFFSET
    skipReceipt(reader)
    hashes.push(receipts.subarray(start, start + HASH))
  }
  return hashes
}

/**
 * Returns sender and recipient of each of the encoded receipts, 40 bytes; the created contract if there is no
 * recipient, and zeros if there is neither. @throws STORE_CORRUPTED
 */
export function receiptParties(receipts: Uint8Array): Uint8Array {
  const reader = new ByteReader(receipts)
  const count = reader.uint()
  const parties = new Uint8Array(2 * ADDRESS * count)
  for (let at = 0; at < parties.length; at += 2 * ADDRESS) {
    const { offset } = reader
    skipReceipt(reader)
    const from = offset + HASH_OFFSET + HASH + 1
    parties.set(receipts.subarray(from, from + ADDRESS), at)
    if (((receipts[offset] as number) & (HAS_TO | HAS_CONTRACT)) === 0) continue
    const to = from + ADDRESS + 1
    parties.set(receipts.subarray(to, to + ADDRESS), at + ADDRESS)
  }
  return parties
}

/** Returns the transactions of encoded receipts that failed, with their index. @throws STORE_CORRUPTED */
export function failedHashes(receipts: Uint8Array): { hash: Uint8Array; index: number }[] {
  const reader = new ByteReader(receipts)
  const failed: { hash: Uint8Array; index: number }[] = []
  const count = reader.uint()
  for (let index = 0; index < count; index++) {
    const { offset } = reader
    skipReceipt(reader)
    if (((receipts[offset] as number) & SUCCEEDED) !== 0) continue
    failed.push({
      hash: receipts.subarray(offset + HASH_OFFSET, offset + HASH_OFFSET + HASH),
      index,
    })
  }
  return failed
}

export function encodeReceipts(receipts: readonly Receipt[]): Uint8Array {
  const writer = new ByteWriter(receipts.length * 128 + 16)
  writer.uint(receipts.length)
  for (const receipt of receipts) writeReceipt(writer, receipt)
  return writer.finish()
}

/** @throws STORE_CORRUPTED */
export function decodeReceipts(bytes: Uint8Array): Receipt[] {
  const reader = new ByteReader(bytes)
  const receipts: Receipt[] = []
  for (let rest = reader.uint(); rest > 0; rest--) receipts.push(readReceipt(reader))
  reader.finish()
  return receipts
}
