import { concatBytes } from '../../base/bytes.ts'
import { messageOf } from '../../base/error.ts'
import type { BlockHeader } from '../../evm/chain-types/block.ts'
import {
  decodeHeaderRow,
  encodeHeaderRow,
  encodeTransactions,
} from '../../storage/store/codec/block-codec.ts'
import type { ExecutedBlock } from '../../storage/store/codec/block-record.ts'
import { ByteReader } from '../../storage/store/codec/byte-reader.ts'
import { ByteWriter } from '../../storage/store/codec/byte-writer.ts'
import { encodeReceipts } from '../../storage/store/codec/receipt-codec.ts'
import type { BlockParts } from '../../storage/store/codec/record-codec.ts'
import type { TxResult } from '../consensus/application.ts'
import { decodeCometBlock } from '../consensus/comet/block.ts'
import { decodeBlockResults, encodeBlockResults } from '../consensus/comet/block-results.ts'
import { decodeCommit, encodeCommit } from '../consensus/comet/commit.ts'
import type { DecidedBlock } from '../consensus/embedded/block-store.ts'
import { invalidSnapshot } from './snapshot-format.ts'

/** Encodes a block as the chain store holds it. */
export function encodeBlockRecord({
  block,
  transactionHashes,
  receipts,
}: ExecutedBlock): Uint8Array {
  const writer = new ByteWriter()
  writer.uint(block.header.number)
  writer.bytes(encodeHeaderRow(block.header))
  writer.bytes(encodeTransactions(block))
  writer.bytes(concatBytes(transactionHashes))
  writer.bytes(encodeReceipts(receipts))
  return writer.finish()
}

export interface BlockRecordParts {
  readonly parts: BlockParts
  readonly header: BlockHeader
}

/** @throws SNAPSHOT_INVALID */
export function decodeBlockRecord(record: Uint8Array): BlockRecordParts {
  return decoded('block', () => {
    const reader = new ByteReader(record)
    const parts = {
      height: reader.uint(),
      header: reader.bytes(),
      transactions: reader.bytes(),
      hashes: reader.bytes(),
      receipts: reader.bytes(),
    }
    reader.finish()
    return { parts, header: decodeHeaderRow(parts.header) }
  })
}

/** The latest block with its commit and the results of its execution. */
export interface DecidedRecord {
  readonly decided: DecidedBlock
  readonly results: readonly TxResult[]
}

export function encodeDecidedRecord({ decided, results }: DecidedRecord): Uint8Array {
  const writer = new ByteWriter()
  writer.bytes(decided.encoded)
  writer.bytes(encodeCommit(decided.commit))
  writer.bytes(encodeBlockResults(results))
  return writer.finish()
}

/** @throws SNAPSHOT_INVALID */
export function decodeDecidedRecord(record: Uint8Array): DecidedRecord {
  return decoded('decided block', () => {
    const reader = new ByteReader(record)
    const encoded = reader.bytes()
    const commit = decodeCommit(reader.bytes())
    const results = decodeBlockResults(reader.bytes())
    reader.finish()
    const block = decodeCometBlock(encoded)
    return { decided: { block, encoded, blockId: commit.blockId, commit }, results }
  })
}

function decoded<Record>(what: string, decode: () => Record): Record {
  try {
    return decode()
  } catch (cause) {
    throw invalidSnapshot(`the record of a ${what} cannot be read: ${messageOf(cause)}`, { cause })
  }
}
