import { compareBytes, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { parseTime } from '../../../base/time.ts'
import { verifySignature } from '../../../chain/consensus/comet/ed25519.ts'
import { VOTE_TYPE, type Vote, voteSignBytes } from '../../../chain/consensus/comet/vote.ts'
import type { RouteArguments } from './arguments.ts'
import type { ConsensusRpcContext } from './context.ts'
import { formatHash } from './json.ts'

const DUPLICATE_VOTE = 'tendermint/DuplicateVoteEvidence'
const LIGHT_CLIENT_ATTACK = 'tendermint/LightClientAttackEvidence'

type Json = Readonly<Record<string, unknown>>

/** A vote with its validator and signature. */
interface SignedVote extends Vote {
  readonly address: Uint8Array
  readonly signature: Uint8Array
}

function invalid(text: string): never {
  throw new LockstepError('REFUSED_EVIDENCE', `evidence.ValidateBasic failed: ${text}`)
}

function notAdded(text: string): LockstepError {
  return new LockstepError('REFUSED_EVIDENCE', `failed to add evidence: ${text}`)
}

function refuse(text: string): never {
  throw notAdded(text)
}

function objectAt(value: unknown, path: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid(`${path} must be an object`)
  }
  return value as Json
}

function bytesAt(value: unknown, encoding: 'hex' | 'base64', length: number, path: string) {
  if (typeof value === 'string') {
    const bytes = Uint8Array.from(Buffer.from(value, encoding))
    if (bytes.length === length) return bytes
  }
  return invalid(`${path} must be ${length} bytes in ${encoding}`)
}

function integerAt(value: unknown, path: string): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
    return invalid(`${path} must be a non-negative integer`)
  }
  return number
}

function timeAt(value: unknown, path: string): bigint {
  try {
    return parseTime(String(value))
  } catch {
    return invalid(`${path} must be an RFC 3339 time in UTC`)
  }
}

function readVote(value: unknown, path: string): SignedVote {
  const vote = objectAt(value, path)
  const blockId = objectAt(vote.block_id, `${path}.block_id`)
  const parts = objectAt(blockId.parts, `${path}.block_id.parts`)
  const type = integerAt(vote.type, `${path}.type`)
  if (type !== VOTE_TYPE.PREVOTE && type !== VOTE_TYPE.PRECOMMIT) {
    return invalid(`${path}.type must be 1 (prevote) or 2 (precommit)`)
  }
  return {
    type,
    height: integerAt(vote.height, `${path}.height`),
    round: integerAt(vote.round, `${path}.round`),
    blockId: {
      hash: bytesAt(blockId.hash, 'hex', 32, `${path}.block_id.hash`),
      parts: {
        total: integerAt(parts.total, `${path}.block_id.parts.total`),
        hash: bytesAt(parts.hash, 'hex', 32, `${path}.block_id.parts.hash`),
      },
    },
    timestamp: timeAt(vote.timestamp, `${path}.timestamp`),
    address: bytesAt(vote.validator_address, 'hex', 20, `${path}.validator_address`),
    signature: bytesAt(vote.signature, 'base64', 64, `${path}.signature`),
  }
}

/** @throws REFUSED_EVIDENCE if the vote is not signed by a validator of the chain. */
function verifyVote({ chain }: ConsensusRpcContext, vote: SignedVote, path: string): void {
  const { address, signature } = vote
  const validator = chain.validators.find((each) => equalBytes(each.address, address))
  if (validator === undefined) {
    throw notAdded(`address ${formatHash(address)} was not a validator at height ${vote.height}`)
  }
  if (!verifySignature(validator.publicKey, voteSignBytes(chain.id, vote), signature)) {
    refuse(`${path} is not signed by validator ${formatHash(address)}`)
  }
}

function checkDuplicateVote(context: ConsensusRpcContext, evidence: Json): never {
  const a = readVote(evidence.vote_a, 'vote_a')
  const b = readVote(evidence.vote_b, 'vote_b')
  if (a.height !== b.height || a.round !== b.round || a.type !== b.type) {
    return invalid('the votes differ in height, round or type')
  }
  if (!equalBytes(a.address, b.address)) return invalid('the votes are from different validators')
  const order = compareBytes(a.blockId.hash, b.blockId.hash)
  if (order >= 0)
    return invalid('duplicate votes in invalid order: vote_a must have the lower block hash')
  verifyVote(context, a, 'vote_a')
  verifyVote(context, b, 'vote_b')
  return refuse(
    `${formatHash(a.address)} did sign two blocks at height ${a.height}, but this chain has one ` +
      'validator and none that could punish it: stop its node, and look for a second node with its key',
  )
}

/**
 * Handles /broadcast_evidence: verifies evidence as CometBFT does, then rejects it with the reason, because no block
 * can include it.
 */
export function broadcastEvidence(context: ConsensusRpcContext, args: RouteArguments): never {
  const given = args.json('evidence')
  if (given === undefined || given === null) {
    throw new LockstepError('REFUSED_EVIDENCE', 'no evidence was provided')
  }
  const { type, value } = objectAt(given, 'evidence')
  if (type === LIGHT_CLIENT_ATTACK) {
    return refuse(
      'a chain with one validator has no other validator to judge a light client attack',
    )
  }
  if (type !== DUPLICATE_VOTE) {
    return invalid(`type must be ${DUPLICATE_VOTE} or ${LIGHT_CLIENT_ATTACK}`)
  }
  return checkDuplicateVote(context, objectAt(value, 'value'))
}
