import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { bytesText } from '../../../base/writable.ts'
import { decodeBlockId, encodeBlockId, NO_BLOCK_ID } from '../comet/block-id.ts'
import {
  putBytes,
  putInt32,
  putInteger,
  putMessage,
  putString,
  readProtoInteger,
  readProtoMessage,
  readProtoString,
} from '../comet/proto.ts'
import { decodeTimestamp, encodeTimestamp, ZERO_TIME } from '../comet/timestamp.ts'
import type { PrivvalMessage, SignedProposal, SignedVote, SignerRefusal } from './message.ts'
import { decodePublicKey, encodePublicKey } from './public-key.ts'

// `proto/tendermint/privval/types.proto` of CometBFT 0.38. A message field that CometBFT declares non-nullable is
// always written.

function encodeVote(vote: SignedVote): Uint8Array {
  const writer = new BinaryWriter()
  putInt32(writer, 1, vote.type)
  putInteger(writer, 2, vote.height)
  putInt32(writer, 3, vote.round)
  putMessage(writer, 4, encodeBlockId(vote.blockId))
  putMessage(writer, 5, encodeTimestamp(vote.timestamp))
  putBytes(writer, 6, vote.validatorAddress)
  putInt32(writer, 7, vote.validatorIndex)
  putBytes(writer, 8, vote.signature)
  putBytes(writer, 9, vote.extension)
  putBytes(writer, 10, vote.extensionSignature)
  return writer.finish()
}

export const NO_VOTE: SignedVote = {
  type: 0,
  height: 0,
  round: 0,
  blockId: NO_BLOCK_ID,
  timestamp: ZERO_TIME,
  validatorAddress: EMPTY_BYTES,
  validatorIndex: 0,
  signature: EMPTY_BYTES,
  extension: EMPTY_BYTES,
  extensionSignature: EMPTY_BYTES,
}

function decodeVote(encoded: Uint8Array): SignedVote {
  const vote: { -readonly [Key in keyof SignedVote]: SignedVote[Key] } = {
    ...NO_VOTE,
    // An absent timestamp is the zero of protobuf.
    timestamp: 0n,
  }
  readProtoMessage(encoded, {
    1: (reader) => {
      vote.type = reader.int32()
    },
    2: (reader) => {
      vote.height = readProtoInteger(reader)
    },
    3: (reader) => {
      vote.round = reader.int32()
    },
    4: (reader) => {
      vote.blockId = decodeBlockId(reader.bytes())
    },
    5: (reader) => {
      vote.timestamp = decodeTimestamp(reader.bytes())
    },
    6: (reader) => {
      vote.validatorAddress = reader.bytes()
    },
    7: (reader) => {
      vote.validatorIndex = reader.int32()
    },
    8: (reader) => {
      vote.signature = reader.bytes()
    },
    9: (reader) => {
      vote.extension = reader.bytes()
    },
    10: (reader) => {
      vote.extensionSignature = reader.bytes()
    },
  })
  return vote
}

/** Writes a round, or -1 for none: the only negative number of the protocol. */
function putPolRound(writer: BinaryWriter, round: number): void {
  if (round === -1) putInteger(writer, 4, round)
  else putInt32(writer, 4, round)
}

function encodeProposal(proposal: SignedProposal): Uint8Array {
  const writer = new BinaryWriter()
  putInt32(writer, 1, proposal.type)
  putInteger(writer, 2, proposal.height)
  putInt32(writer, 3, proposal.round)
  putPolRound(writer, proposal.polRound)
  putMessage(writer, 5, encodeBlockId(proposal.blockId))
  putMessage(writer, 6, encodeTimestamp(proposal.timestamp))
  putBytes(writer, 7, proposal.signature)
  return writer.finish()
}

export const NO_PROPOSAL: SignedProposal = {
  type: 0,
  height: 0,
  round: 0,
  polRound: 0,
  blockId: NO_BLOCK_ID,
  timestamp: ZERO_TIME,
  signature: EMPTY_BYTES,
}

function decodeProposal(encoded: Uint8Array): SignedProposal {
  const proposal: { -readonly [Key in keyof SignedProposal]: SignedProposal[Key] } = {
    ...NO_PROPOSAL,
    timestamp: 0n,
  }
  readProtoMessage(encoded, {
    1: (reader) => {
      proposal.type = reader.int32()
    },
    2: (reader) => {
      proposal.height = readProtoInteger(reader)
    },
    3: (reader) => {
      proposal.round = reader.int32()
    },
    4: (reader) => {
      proposal.polRound = reader.int32()
    },
    5: (reader) => {
      proposal.blockId = decodeBlockId(reader.bytes())
    },
    6: (reader) => {
      proposal.timestamp = decodeTimestamp(reader.bytes())
    },
    7: (reader) => {
      proposal.signature = reader.bytes()
    },
  })
  return proposal
}

function encodeRefusal({ code, description }: SignerRefusal): Uint8Array {
  const writer = new BinaryWriter()
  putInt32(writer, 1, code)
  putString(writer, 2, description)
  return writer.finish()
}

function decodeRefusal(encoded: Uint8Array): SignerRefusal {
  let code = 0
  let description = ''
  readProtoMessage(encoded, {
    1: (reader) => {
      code = reader.int32()
    },
    2: (reader) => {
      description = readProtoString(reader)
    },
  })
  return { code, description }
}

/** Encodes a response: its value, then the refusal if there is one. */
function encodeResponse(value: Uint8Array, refusal: SignerRefusal | undefined): Uint8Array {
  const writer = new BinaryWriter()
  putMessage(writer, 1, value)
  if (refusal !== undefined) putMessage(writer, 2, encodeRefusal(refusal))
  return writer.finish()
}

/** Encodes a request: what to sign, then the chain. */
function encodeRequest(value: Uint8Array, chainId: string): Uint8Array {
  const writer = new BinaryWriter()
  putMessage(writer, 1, value)
  putString(writer, 2, chainId)
  return writer.finish()
}

/** Fields of `Message`. */
const FIELD = {
  pubKeyRequest: 1,
  pubKeyResponse: 2,
  signVoteRequest: 3,
  signedVoteResponse: 4,
  signProposalRequest: 5,
  signedProposalResponse: 6,
  pingRequest: 7,
  pingResponse: 8,
} as const satisfies Record<PrivvalMessage['kind'], number>

function encodeBody(message: PrivvalMessage): Uint8Array {
  switch (message.kind) {
    case 'pubKeyRequest': {
      const writer = new BinaryWriter()
      putString(writer, 1, message.chainId)
      return writer.finish()
    }
    case 'pubKeyResponse':
      return encodeResponse(encodePublicKey(message.publicKey), message.refusal)
    case 'signVoteRequest':
      return encodeRequest(encodeVote(message.vote), message.chainId)
    case 'signedVoteResponse':
      return encodeResponse(encodeVote(message.vote), message.refusal)
    case 'signProposalRequest':
      return encodeRequest(encodeProposal(message.proposal), message.chainId)
    case 'signedProposalResponse':
      return encodeResponse(encodeProposal(message.proposal), message.refusal)
    case 'pingRequest':
    case 'pingResponse':
      return EMPTY_BYTES
  }
}

export function encodePrivval(message: PrivvalMessage): Uint8Array {
  const writer = new BinaryWriter()
  putMessage(writer, FIELD[message.kind], encodeBody(message))
  return writer.finish()
}

/** The two fields of every request and response. */
interface Pair {
  readonly value: Uint8Array
  readonly second: Uint8Array | undefined
}

function readPair(encoded: Uint8Array): Pair {
  let value: Uint8Array = EMPTY_BYTES
  let second: Uint8Array | undefined
  readProtoMessage(encoded, {
    1: (reader) => {
      value = reader.bytes()
    },
    2: (reader) => {
      second = reader.bytes()
    },
  })
  return { value, second }
}

function refusalOf({ second }: Pair): { readonly refusal?: SignerRefusal } {
  return second === undefined ? {} : { refusal: decodeRefusal(second) }
}

const text = (bytes: Uint8Array = EMPTY_BYTES): string => bytesText(bytes)

function decodeBody(kind: PrivvalMessage['kind'], body: Uint8Array): PrivvalMessage {
  const pair = kind === 'pingRequest' || kind === 'pingResponse' ? undefined : readPair(body)
  if (pair === undefined) return { kind } as PrivvalMessage
  const { value, second } = pair
  switch (kind) {
    case 'pubKeyRequest':
      return { kind, chainId: text(value) }
    case 'pubKeyResponse':
      return { kind, publicKey: decodePublicKey(value) ?? EMPTY_BYTES, ...refusalOf(pair) }
    case 'signVoteRequest':
      return { kind, vote: decodeVote(value), chainId: text(second) }
    case 'signedVoteResponse':
      return { kind, vote: decodeVote(value), ...refusalOf(pair) }
    case 'signProposalRequest':
      return { kind, proposal: decodeProposal(value), chainId: text(second) }
    default:
      return { kind: 'signedProposalResponse', proposal: decodeProposal(value), ...refusalOf(pair) }
  }
}

/** @throws PEER_INVALID if the bytes are no message of the protocol */
export function decodePrivval(encoded: Uint8Array): PrivvalMessage {
  let message: PrivvalMessage | undefined
  try {
    const fields = Object.entries(FIELD).map(([kind, field]) => [
      field,
      (reader: { bytes(): Uint8Array }) => {
        message = decodeBody(kind as PrivvalMessage['kind'], reader.bytes())
      },
    ])
    readProtoMessage(encoded, Object.fromEntries(fields))
  } catch (cause) {
    throw new LockstepError('PEER_INVALID', 'privval: a message does not decode', { cause })
  }
  if (message !== undefined) return message
  throw new LockstepError('PEER_INVALID', 'privval: a message of an unknown type')
}
