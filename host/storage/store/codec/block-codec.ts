import { EMPTY_BYTES, isZero } from '../../../base/bytes.ts'
import { decodeRlp } from '../../../base/rlp.ts'
import { requireLength } from '../../../base/writable.ts'
import type {
  Block,
  BlockHeader,
  EthereumBody,
  EthereumSeal,
} from '../../../evm/chain-types/block.ts'
import { EMPTY_BLOOM } from '../../../evm/chain-types/bloom.ts'
import { decodeBody, encodeBody } from '../../../evm/chain-types/ethereum-block.ts'
import {
  decodeRlpHeader as decodeEthereumHeader,
  encodeRlpHeader as encodeEthereumHeader,
  requireHeader,
} from '../../../evm/chain-types/ethereum-header.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

const HASH_BYTES = 32

/** An empty bloom, the usual case, takes one byte. */
export function writeBloom(writer: ByteWriter, bloom: Uint8Array): void {
  if (bloom !== EMPTY_BLOOM) requireLength(bloom, EMPTY_BLOOM.length, 'a bloom')
  writer.bytes(bloom === EMPTY_BLOOM || isZero(bloom) ? EMPTY_BYTES : bloom)
}

export function readBloom(reader: ByteReader): Uint8Array {
  const bloom = reader.bytes()
  return bloom.length === 0 ? EMPTY_BLOOM : bloom
}

export function encodeHeaderRow(header: BlockHeader): Uint8Array {
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
  writer.timestamp(header.timestamp)
  writer.big(header.gasLimit)
  writer.big(header.gasUsed)
  writer.big(header.baseFeePerGas)
  writer.uint(header.size)
  if (header.ethereum !== undefined) writeSeal(writer, header.ethereum)
  else if (header.resultsHash !== undefined) {
    // Any other length would decode as the start of a seal.
    requireLength(header.resultsHash, HASH_BYTES, 'a results hash')
    writer.bytes(header.resultsHash)
  }
  return writer.finish()
}

function writeSeal(writer: ByteWriter, { header, totalDifficulty }: EthereumSeal): void {
  requireHeader(header)
  writer.big(totalDifficulty)
  writer.bytes(encodeEthereumHeader(header))
}

function readSeal(reader: ByteReader): EthereumSeal {
  const totalDifficulty = reader.big()
  return { header: decodeEthereumHeader(decodeRlp(reader.bytes())), totalDifficulty }
}

/** @throws STORE_CORRUPTED */
export function decodeHeaderRow(bytes: Uint8Array): BlockHeader {
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
    timestamp: reader.timestamp(),
    gasLimit: reader.big(),
    gasUsed: reader.big(),
    baseFeePerGas: reader.big(),
    size: reader.uint(),
  }
  // Nothing follows in block 0, and in blocks that 0.1.0 wrote.
  if (reader.isAtEnd) return header
  const rest = new ByteReader(bytes, reader.offset)
  const resultsHash = rest.bytes()
  // A seal starts like a byte string too, but more follows.
  if (rest.isAtEnd && resultsHash.length === HASH_BYTES) return { ...header, resultsHash }
  const ethereum = readSeal(reader)
  reader.finish()
  return { ...header, ethereum }
}

/** Encodes the transactions, and after them the rest of an Ethereum block. */
export function encodeTransactions(block: Block): Uint8Array {
  const writer = new ByteWriter(block.header.size + 16)
  writer.uint(block.transactions.length)
  for (const transaction of block.transactions) writer.bytes(transaction)
  if (block.ethereum !== undefined) writer.bytes(encodeBody(block.ethereum))
  return writer.finish()
}

export interface StoredTransactions {
  readonly transactions: readonly Uint8Array[]
  readonly ethereum?: EthereumBody
}

/** @throws STORE_CORRUPTED */
export function decodeTransactions(bytes: Uint8Array): StoredTransactions {
  const reader = new ByteReader(bytes)
  const transactions: Uint8Array[] = []
  for (let rest = reader.uint(); rest > 0; rest--) transactions.push(reader.bytes())
  if (reader.isAtEnd) return { transactions }
  const ethereum = decodeBody(reader.bytes())
  reader.finish()
  return { transactions, ethereum }
}
