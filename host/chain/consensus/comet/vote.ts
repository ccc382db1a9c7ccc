import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { type BlockId, encodeBlockId } from './block-id.ts'
import { putBytes, putFixed, putInteger, putMessage, putString, readProtoMessage } from './proto.ts'
import { decodeTimestamp, encodeTimestamp, ZERO_TIME } from './timestamp.ts'

/** `SignedMsgType` of votes. */
export const VOTE_TYPE = { PREVOTE: 1, PRECOMMIT: 2 } as const

/** The fields of a vote that its signature covers. */
export interface Vote {
  readonly type: number
  readonly height: number
  readonly round: number
  readonly blockId: BlockId
  readonly timestamp: bigint
}

/**
 * Returns the bytes that a vote's signature covers: the length-delimited `CanonicalVote`. In it, height and round
 * have a fixed width, and a vote for nil has no block identifier.
 */
export function voteSignBytes(chainId: string, vote: Vote): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, vote.type)
  putFixed(writer, 2, vote.height)
  putFixed(writer, 3, vote.round)
  if (vote.blockId.hash.length > 0) putMessage(writer, 4, encodeBlockId(vote.blockId))
  putMessage(writer, 5, encodeTimestamp(vote.timestamp))
  putString(writer, 6, chainId)
  return new BinaryWriter().bytes(writer.finish()).finish()
}

/** Returns the timestamp in sign bytes. Throws if they are not a length-delimited `CanonicalVote`. */
export function timestampOfSignBytes(signBytes: Uint8Array): bigint {
  let timestamp = ZERO_TIME
  readProtoMessage(new BinaryReader(signBytes).bytes(), {
    5: (reader) => {
      timestamp = decodeTimestamp(reader.bytes())
    },
  })
  return timestamp
}

/** Returns the bytes that a vote extension's signature covers: the length-delimited `CanonicalVoteExtension`. */
export function extensionSignBytes(
  chainId: string,
  { height, round }: Pick<Vote, 'height' | 'round'>,
  extension: Uint8Array,
): Uint8Array {
  const writer = new BinaryWriter()
  putBytes(writer, 1, extension)
  putFixed(writer, 2, height)
  putFixed(writer, 3, round)
  putString(writer, 4, chainId)
  return new BinaryWriter().bytes(writer.finish()).finish()
}
