import { EMPTY_BYTES } from '../base/bytes.ts'
import type { Block, BlockHeader } from '../chain-types/block.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

/** Bytes of a 2048-bit bloom. */
const BLOOM = 256

/** An empty bloom, the usual case, takes one byte. */
export function writeBloom(writer: ByteWriter, bloom: Uint8Array): void {
  let set = 0
  for (let i = 0; i < bloom.length; i++) set |= bloom[i] as number
  writer.bytes(set === 0 ? EMPTY_BYTES : bloom)
}

export function readBloom(reader: ByteReader): Uint8Array {
  const bloom = reader.bytes()
  return bloom.length === 0 ? new Uint8Array(BLOOM) : bloom
}

/** The header with the block's app hash: what is read without the transactions. */
export function encodeHeader(header: BlockHeader, appHash: Uint8Array): Uint8Array {
  const writer = new ByteWriter(768)
  writer.uint(header.number)
  writer.bytes(header.hash)
  writer.bytes(header.parentHash)
  writer.bytes(header.stateRoot)
  writer.bytes(header.transactionsRoot)
  writer.bytes(header.receiptsRoot)
  writeBloom(writer, header.logsBloom)
  writer.bytes(header.miner)
  writer.bytes(header.prevRandao)
  writer.uint(header.timestamp)
  writer.big(header.gasLimit)
  writer.big(header.gasUsed)
  writer.big(header.baseFeePerGas)
  writer.uint(header.size)
  writer.bytes(appHash)
  return writer.finish()
}

export interface StoredHeader {
  readonly header: BlockHeader
  readonly appHash: Uint8Array
}

/** @throws STORE_CORRUPTED */
export function decodeHeader(bytes: Uint8Array): StoredHeader {
  const reader = new ByteReader(bytes)
  const header: BlockHeader = {
    number: reader.uint(),
    hash: reader.bytes(),
    parentHash: reader.bytes(),
    stateRoot: reader.bytes(),
    transactionsRoot: reader.bytes(),
    receiptsRoot: reader.bytes(),
    logsBloom: readBloom(reader),
    miner: reader.bytes(),
    prevRandao: reader.bytes(),
    timestamp: reader.uint(),
    gasLimit: reader.big(),
    gasUsed: reader.big(),
    baseFeePerGas: reader.big(),
    size: reader.uint(),
  }
  const appHash = reader.bytes()
  reader.finish()
  return { header, appHash }
}

export function encodeTransactions(block: Block): Uint8Array {
  const writer = new ByteWriter(block.header.size + 16)
  writer.uint(block.transactions.length)
  for (const transaction of block.transactions) writer.bytes(transaction)
  return writer.finish()
}

/** @throws STORE_CORRUPTED */
export function decodeTransactions(bytes: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(bytes)
  const transactions: Uint8Array[] = []
  for (let rest = reader.uint(); rest > 0; rest--) transactions.push(reader.bytes())
  reader.finish()
  return transactions
}
