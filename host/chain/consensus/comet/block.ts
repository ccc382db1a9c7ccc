import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { ByteWriter } from '../../../storage/store/codec/byte-writer.ts'
import type { BlockId, PartSetHeader } from './block-id.ts'
import { type Commit, decodeCommit, encodeCommit, NO_COMMIT } from './commit.ts'
import {
  type CometHeader,
  decodeCometHeader,
  encodeCometHeader,
  hashCometHeader,
} from './header.ts'
import { merkleRoot } from './merkle.ts'
import { putMessage, readProtoMessage, writeProtoMessage } from './proto.ts'
import { sha256 } from './sha256.ts'

/** A block of one validator, which has no evidence of misbehaviour. */
export interface CometBlock {
  readonly header: CometHeader
  readonly transactions: readonly Uint8Array[]
  readonly lastCommit: Commit
}

/** Size of a block part in bytes (CometBFT `BlockPartSizeBytes`). */
const PART_SIZE = 65_536

// As in CometBFT's `MaxDataBytes`: tags and lengths of the four fields, the largest header, and the largest commit
// with its signatures.
const MAX_BLOCK_OVERHEAD = 11
const MAX_HEADER_BYTES = 626
const MAX_COMMIT_OVERHEAD = 94
const MAX_SIGNATURE_BYTES = 111

export function encodeCometBlock(block: CometBlock): Uint8Array {
  let size = 0
  for (const transaction of block.transactions) size += transactionBytes(transaction)
  const data = new ByteWriter(size)
  for (const transaction of block.transactions) writeProtoMessage(data, 1, transaction)
  const writer = new BinaryWriter()
  putMessage(writer, 1, encodeCometHeader(block.header))
  putMessage(writer, 2, data.finish())
  putMessage(writer, 3, EMPTY_BYTES)
  putMessage(writer, 4, encodeCommit(block.lastCommit))
  return writer.finish()
}

/**
 * Decodes a block of `encodeBlock`; byte fields are views. Throws if the encoding is invalid or the header is
 * missing.
 */
export function decodeCometBlock(encoded: Uint8Array): CometBlock {
  let header: CometHeader | undefined
  let lastCommit = NO_COMMIT
  const transactions: Uint8Array[] = []
  readProtoMessage(encoded, {
    1: (reader) => {
      header = decodeCometHeader(reader.bytes())
    },
    2: (reader) => {
      readProtoMessage(reader.bytes(), {
        1: (data) => {
          transactions.push(data.bytes())
        },
      })
    },
    4: (reader) => {
      lastCommit = decodeCommit(reader.bytes())
    },
  })
  if (header === undefined) throw new TypeError('the block has no header')
  return { header, transactions, lastCommit }
}

/** Returns `data_hash`: the Merkle root over the SHA-256 of each transaction. */
export function hashTransactions(transactions: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(transactions.map(sha256))
}

/** Returns `evidence_hash` of a block without evidence. */
export function hashNoEvidence(): Uint8Array {
  return merkleRoot([])
}

function partSetHeader(encodedBlock: Uint8Array): PartSetHeader {
  const parts: Uint8Array[] = []
  for (let start = 0; start < encodedBlock.length; start += PART_SIZE) {
    parts.push(encodedBlock.subarray(start, start + PART_SIZE))
  }
  return { total: parts.length, hash: merkleRoot(parts) }
}

/** Returns the identifier of a block, given its header and encoding. */
export function blockIdOf(header: CometHeader, encodedBlock: Uint8Array): BlockId {
  return { hash: hashCometHeader(header), parts: partSetHeader(encodedBlock) }
}

/** Returns the bytes available for transactions, with tags and lengths, in a block of at most `maxBytes`. */
export function maxDataBytes(maxBytes: number, validators: number): number {
  const overhead = MAX_BLOCK_OVERHEAD + MAX_HEADER_BYTES + MAX_COMMIT_OVERHEAD
  return maxBytes - overhead - validators * MAX_SIGNATURE_BYTES
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++
  return length
}

/** Returns the bytes that a transaction takes in a block, with tag and length. */
export function transactionBytes(transaction: Uint8Array): number {
  return 1 + varintLength(transaction.length) + transaction.length
}
