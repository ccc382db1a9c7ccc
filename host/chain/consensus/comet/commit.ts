import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { type BlockId, decodeBlockId, encodeBlockId, NO_BLOCK_ID } from './block-id.ts'
import { merkleRoot } from './merkle.ts'
import {
  putBytes,
  putInt32,
  putInteger,
  putMessage,
  readProtoInteger,
  readProtoMessage,
} from './proto.ts'
import { decodeTimestamp, encodeTimestamp, ZERO_TIME } from './timestamp.ts'

/** `BlockIDFlag` of a signature: no vote seen, vote for the block, vote for nil. */
export const BLOCK_ID_FLAG = { ABSENT: 1, COMMIT: 2, NIL: 3 } as const

/** One validator's precommit in a commit. */
export interface CommitSignature {
  readonly blockIdFlag: number
  readonly validatorAddress: Uint8Array
  readonly timestamp: bigint
  readonly signature: Uint8Array
}

/** The precommits that decided a block, in validator set order. */
export interface Commit {
  readonly height: number
  readonly round: number
  readonly blockId: BlockId
  readonly signatures: readonly CommitSignature[]
}

/** The last commit of the first block. */
export const NO_COMMIT: Commit = { height: 0, round: 0, blockId: NO_BLOCK_ID, signatures: [] }

function encodeSignature(signature: CommitSignature): Uint8Array {
  const writer = new BinaryWriter()
  putInt32(writer, 1, signature.blockIdFlag)
  putBytes(writer, 2, signature.validatorAddress)
  putMessage(writer, 3, encodeTimestamp(signature.timestamp))
  putBytes(writer, 4, signature.signature)
  return writer.finish()
}

function decodeSignature(encoded: Uint8Array): CommitSignature {
  let blockIdFlag = 0
  let validatorAddress: Uint8Array = EMPTY_BYTES
  let timestamp = ZERO_TIME
  let signature: Uint8Array = EMPTY_BYTES
  readProtoMessage(encoded, {
    1: (reader) => {
      blockIdFlag = reader.int32()
    },
    2: (reader) => {
      validatorAddress = reader.bytes()
    },
    3: (reader) => {
      timestamp = decodeTimestamp(reader.bytes())
    },
    4: (reader) => {
      signature = reader.bytes()
    },
  })
  return { blockIdFlag, validatorAddress, timestamp, signature }
}

export function encodeCommit(commit: Commit): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, commit.height)
  putInt32(writer, 2, commit.round)
  putMessage(writer, 3, encodeBlockId(commit.blockId))
  for (const signature of commit.signatures) putMessage(writer, 4, encodeSignature(signature))
  return writer.finish()
}

export function decodeCommit(encoded: Uint8Array): Commit {
  let height = 0
  let round = 0
  let blockId = NO_BLOCK_ID
  const signatures: CommitSignature[] = []
  readProtoMessage(encoded, {
    1: (reader) => {
      height = readProtoInteger(reader)
    },
    2: (reader) => {
      round = reader.int32()
    },
    3: (reader) => {
      blockId = decodeBlockId(reader.bytes())
    },
    4: (reader) => {
      signatures.push(decodeSignature(reader.bytes()))
    },
  })
  return { height, round, blockId, signatures }
}

/** Returns `last_commit_hash`: the Merkle root over the encoded signatures. */
export function hashCommit(commit: Commit): Uint8Array {
  return merkleRoot(commit.signatures.map(encodeSignature))
}
