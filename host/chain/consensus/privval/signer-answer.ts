import { sign } from 'node:crypto'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { messageOf } from '../../../base/error.ts'
import type { Logger } from '../../../base/log/logger.ts'
import type { Ed25519Key } from '../comet/ed25519.ts'
import { PROPOSAL_TYPE, proposalSignBytes, timestampOfProposalBytes } from '../comet/proposal.ts'
import {
  extensionSignBytes,
  timestampOfSignBytes,
  VOTE_TYPE,
  voteSignBytes,
} from '../comet/vote.ts'
import type { SignMemory } from '../validator/sign-memory.ts'
import { type SignRequest, signOnce, type TimedSignature } from '../validator/sign-once.ts'
import { STEP } from '../validator/sign-state.ts'
import type {
  PrivvalMessage,
  PrivvalResponse,
  SignedProposal,
  SignedVote,
  SignerRefusal,
} from './message.ts'
import { NO_PROPOSAL, NO_VOTE } from './message-codec.ts'

export interface SignerKey {
  readonly key: Ed25519Key
  readonly record: SignMemory
  readonly chainId: string
  readonly logger: Logger
}

const VOTE_STEP: Readonly<Record<number, number>> = {
  [VOTE_TYPE.PREVOTE]: STEP.PREVOTE,
  [VOTE_TYPE.PRECOMMIT]: STEP.PRECOMMIT,
}

function signBytesWith({ key }: SignerKey, bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(sign(null, bytes, key.signer))
}

/** Signs at most once for each height, round and step. */
function signRecorded(signer: SignerKey, request: SignRequest): Promise<TimedSignature> {
  return signOnce(signer.record, request, () => ({
    signature: signBytesWith(signer, request.signBytes(request.timestamp)),
    timestamp: request.timestamp,
  }))
}

/** @throws Error with what is wrong */
function requirePosition({ height, round }: Pick<SignedVote, 'height' | 'round'>): void {
  if (height < 1) throw new Error(`height ${height} is not above 0`)
  if (round < 0) throw new Error(`round ${round} is negative`)
}

/** @throws DOUBLE_SIGN, Error */
async function signVote(signer: SignerKey, vote: SignedVote): Promise<SignedVote> {
  const { chainId } = signer
  const step = VOTE_STEP[vote.type]
  if (step === undefined) throw new Error(`${vote.type} is not the type of a vote`)
  requirePosition(vote)
  const hasExtension = vote.type === VOTE_TYPE.PRECOMMIT && vote.blockId.hash.length > 0
  if (!hasExtension && vote.extension.length > 0) {
    throw new Error('only a precommit of a block may have an extension')
  }
  const signed = await signRecorded(signer, {
    ...vote,
    step,
    signBytes: (timestamp) => voteSignBytes(chainId, { ...vote, timestamp }),
    timestampOf: timestampOfSignBytes,
  })
  // Extensions are not deterministic, so they are signed each time, also empty ones.
  const extensionSignature = hasExtension
    ? signBytesWith(signer, extensionSignBytes(chainId, vote, vote.extension))
    : EMPTY_BYTES
  return { ...vote, ...signed, extensionSignature }
}

/** @throws DOUBLE_SIGN, Error */
async function signProposal(signer: SignerKey, proposal: SignedProposal): Promise<SignedProposal> {
  const { chainId } = signer
  if (proposal.type !== PROPOSAL_TYPE)
    throw new Error(`${proposal.type} is not the type of a proposal`)
  requirePosition(proposal)
  const signed = await signRecorded(signer, {
    ...proposal,
    step: STEP.PROPOSE,
    signBytes: (timestamp) => proposalSignBytes(chainId, { ...proposal, timestamp }),
    timestampOf: timestampOfProposalBytes,
  })
  return { ...proposal, ...signed }
}

function refusalFor(
  { logger }: SignerKey,
  what: { readonly height?: number; readonly round?: number },
  reason: string,
): SignerRefusal {
  const { height, round } = what
  logger.error('refused to sign', { ...(height !== undefined && { height, round }), reason })
  return { code: 0, description: reason }
}

/** Returns the answer to a node's request. Every refusal is logged. @throws PEER_INVALID for a response */
export async function answerNode(
  signer: SignerKey,
  request: PrivvalMessage,
): Promise<PrivvalResponse> {
  const { key, chainId, logger } = signer
  const isOther = 'chainId' in request && request.chainId !== chainId
  const other = isOther
    ? `the node is of chain ${request.chainId}, this signer signs for ${chainId}`
    : undefined
  switch (request.kind) {
    case 'pingRequest':
      return { kind: 'pingResponse' }
    case 'pubKeyRequest':
      return other === undefined
        ? { kind: 'pubKeyResponse', publicKey: key.publicKey }
        : {
            kind: 'pubKeyResponse',
            publicKey: EMPTY_BYTES,
            refusal: refusalFor(signer, {}, other),
          }
    case 'signVoteRequest': {
      const { height, round, type } = request.vote
      try {
        if (other !== undefined) throw new Error(other)
        const vote = await signVote(signer, request.vote)
        logger.debug('signed a vote', { height, round, type })
        return { kind: 'signedVoteResponse', vote }
      } catch (thrown) {
        const refusal = refusalFor(signer, { height, round }, messageOf(thrown))
        return { kind: 'signedVoteResponse', vote: NO_VOTE, refusal }
      }
    }
    case 'signProposalRequest': {
      const { height, round } = request.proposal
      try {
        if (other !== undefined) throw new Error(other)
        const proposal = await signProposal(signer, request.proposal)
        logger.debug('signed a proposal', { height, round })
        return { kind: 'signedProposalResponse', proposal }
      } catch (thrown) {
        const refusal = refusalFor(signer, { height, round }, messageOf(thrown))
        return { kind: 'signedProposalResponse', proposal: NO_PROPOSAL, refusal }
      }
    }
    default:
      throw new Error(`a node sent ${request.kind}, which only a signer sends`)
  }
}
