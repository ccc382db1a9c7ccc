import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { type BlockId, encodeBlockId } from './block-id.ts'
import { putFixed, putInteger, putMessage, putString, readProtoMessage } from './proto.ts'
import { decodeTimestamp, encodeTimestamp, ZERO_TIME } from './timestamp.ts'

/** `SignedMsgType` of a proposal. */
export const PROPOSAL_TYPE = 32

/** The fields of a proposal that its signature covers. */
export interface Proposal {
  readonly height: number
  readonly round: number
  /** Round in which the block had two thirds of the prevotes; -1 if there was none. */
  readonly polRound: number
  readonly blockId: BlockId
  readonly timestamp: bigint
}

/** Returns the bytes that a proposal's signature covers: the length-delimited `CanonicalProposal`. */
export function proposalSignBytes(chainId: string, proposal: Proposal): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, PROPOSAL_TYPE)
  putFixed(writer, 2, proposal.height)
  putFixed(writer, 3, proposal.round)
  putInteger(writer, 4, proposal.polRound)
  if (proposal.blockId.hash.length > 0) putMessage(writer, 5, encodeBlockId(proposal.blockId))
  putMessage(writer, 6, encodeTimestamp(proposal.timestamp))
  putString(writer, 7, chainId)
  return new BinaryWriter().bytes(writer.finish()).finish()
}

/** Returns the timestamp in sign bytes of a proposal. Throws if they are not a `CanonicalProposal`. */
export function timestampOfProposalBytes(signBytes: Uint8Array): bigint {
  let timestamp = ZERO_TIME
  readProtoMessage(new BinaryReader(signBytes).bytes(), {
    6: (reader) => {
      timestamp = decodeTimestamp(reader.bytes())
    },
  })
  return timestamp
}
