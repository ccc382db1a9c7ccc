import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { putBytes, putMessage, putUint32, readProtoMessage } from './proto.ts'

/** Root and number of the parts in which a block is gossiped. */
export interface PartSetHeader {
  readonly total: number
  readonly hash: Uint8Array
}

export interface BlockId {
  /** Hash of the header; empty if the identifier stands for no block. */
  readonly hash: Uint8Array
  readonly parts: PartSetHeader
}

/** Identifier of the first block's parent. */
export const NO_BLOCK_ID: BlockId = { hash: EMPTY_BYTES, parts: { total: 0, hash: EMPTY_BYTES } }

function encodePartSetHeader(parts: PartSetHeader): Uint8Array {
  const writer = new BinaryWriter()
  putUint32(writer, 1, parts.total)
  putBytes(writer, 2, parts.hash)
  return writer.finish()
}

function decodePartSetHeader(encoded: Uint8Array): PartSetHeader {
  let total = 0
  let hash: Uint8Array = EMPTY_BYTES
  readProtoMessage(encoded, {
    1: (reader) => {
      total = reader.uint32()
    },
    2: (reader) => {
      hash = reader.bytes()
    },
  })
  return { total, hash }
}

/** `BlockID`; `CanonicalBlockID` has the same fields and so the same bytes. */
export function encodeBlockId(id: BlockId): Uint8Array {
  const writer = new BinaryWriter()
  putBytes(writer, 1, id.hash)
  putMessage(writer, 2, encodePartSetHeader(id.parts))
  return writer.finish()
}

export function decodeBlockId(encoded: Uint8Array): BlockId {
  let hash: Uint8Array = EMPTY_BYTES
  let parts = NO_BLOCK_ID.parts
  readProtoMessage(encoded, {
    1: (reader) => {
      hash = reader.bytes()
    },
    2: (reader) => {
      parts = decodePartSetHeader(reader.bytes())
    },
  })
  return { hash, parts }
}
