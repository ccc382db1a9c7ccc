import { equalBytes } from '../../../base/bytes.ts'
import { formatTime } from '../../../base/time.ts'
import type { Commit } from '../../../chain/consensus/comet/commit.ts'
import type { CometValidator } from '../../../chain/consensus/comet/validator-set.ts'
import type { ConsensusRpcContext } from './context.ts'
import { cometValidatorJson, formatHash } from './json.ts'

/** CometBFT's round steps that the embedded engine uses. */
const STEP = { NEW_HEIGHT: 1, PRECOMMIT: 6, COMMIT: 8 } as const

const NANOS_PER_MS = 1_000_000n

/** The height in progress. Every height has only round 0. */
interface Round {
  readonly height: number
  readonly step: number
  /** Scheduled time of its block, in nanoseconds since 1970. */
  readonly startTime: bigint
  /** Time at which the previous height was decided. */
  readonly commitTime: bigint
  /** Hash of the block stored for this height; empty if there is none yet. */
  readonly blockHash: string
  /** The commit of this height; undefined until it is decided. */
  readonly commit: Commit | undefined
  /** The commit of the previous height. */
  readonly lastCommit: Commit | undefined
}

function roundOf({ blockStore, chain, engine, blockTimeMs }: ConsensusRpcContext): Round {
  const last = blockStore.decided(engine.height)
  const height = engine.height === 0 ? chain.initialHeight : engine.height + 1
  const commit = blockStore.commit(height)
  const isProposed = blockStore.block(height) !== undefined
  const lastTime = last?.block.header.time ?? chain.genesisTime
  const undecided = isProposed ? STEP.PRECOMMIT : STEP.NEW_HEIGHT
  return {
    height,
    step: commit === undefined ? undecided : STEP.COMMIT,
    startTime: lastTime + BigInt(blockTimeMs) * NANOS_PER_MS,
    commitTime: last?.commit.signatures[0]?.timestamp ?? lastTime,
    blockHash: commit === undefined ? '' : formatHash(commit.blockId.hash),
    commit,
    lastCommit: last?.commit,
  }
}

function fingerprint(bytes: Uint8Array): string {
  return formatHash(bytes.subarray(0, 6)).padEnd(12, '0')
}

/** Returns the precommits of a commit in CometBFT's text format, and a bit array of their validators. */
function votesJson(validators: readonly CometValidator[], commit: Commit | undefined) {
  let signed = 0
  let total = 0
  let bits = ''
  const votes = validators.map(({ address, power }, index) => {
    total += power
    const vote = commit?.signatures.find((each) => equalBytes(each.validatorAddress, address))
    bits += vote === undefined ? '_' : 'x'
    if (vote === undefined || commit === undefined) return 'nil-Vote'
    signed += power
    const round = String(commit.round).padStart(2, '0')
    return (
      `Vote{${index}:${fingerprint(address)} ${commit.height}/${round}/` +
      `SIGNED_MSG_TYPE_PRECOMMIT(Precommit) ${fingerprint(commit.blockId.hash)} ` +
      `${fingerprint(vote.signature)} ${fingerprint(new Uint8Array(0))} @ ${formatTime(vote.timestamp)}}`
    )
  })
  const share = (total === 0 ? 0 : signed / total).toFixed(2)
  return { votes, bits: `BA{${validators.length}:${bits}} ${signed}/${total} = ${share}` }
}

function roundVotes({ chain }: ConsensusRpcContext, { commit }: Round): object[] {
  // A single validator signs no prevotes.
  const prevotes = votesJson(chain.validators, undefined)
  const precommits = votesJson(chain.validators, commit)
  return [
    {
      round: 0,
      prevotes: prevotes.votes,
      prevotes_bit_array: prevotes.bits,
      precommits: precommits.votes,
      precommits_bit_array: precommits.bits,
    },
  ]
}

/** Handles /consensus_state. */
export function consensusState(context: ConsensusRpcContext): object {
  const round = roundOf(context)
  const [proposer] = context.chain.validators
  return {
    round_state: {
      'height/round/step': `${round.height}/0/${round.step}`,
      start_time: formatTime(round.startTime),
      proposal_block_hash: round.blockHash,
      locked_block_hash: '',
      valid_block_hash: '',
      height_vote_set: roundVotes(context, round),
      proposer: { address: formatHash(proposer?.address ?? new Uint8Array(0)), index: 0 },
    },
  }
}

function validatorSetJson(validators: readonly CometValidator[]): object {
  const members = validators.map(cometValidatorJson)
  return { validators: members, proposer: members[0] ?? null }
}

/** Handles /dump_consensus_state. */
export function dumpConsensusState(context: ConsensusRpcContext): object {
  const round = roundOf(context)
  const { validators } = context.chain
  const last = votesJson(validators, round.lastCommit)
  return {
    round_state: {
      height: String(round.height),
      round: 0,
      step: round.step,
      start_time: formatTime(round.startTime),
      commit_time: formatTime(round.commitTime),
      validators: validatorSetJson(validators),
      proposal: null,
      proposal_block: null,
      proposal_block_parts: null,
      locked_round: -1,
      locked_block: null,
      locked_block_parts: null,
      valid_round: -1,
      valid_block: null,
      valid_block_parts: null,
      votes: roundVotes(context, round),
      commit_round: round.commit === undefined ? -1 : round.commit.round,
      last_commit: { votes: last.votes, votes_bit_array: last.bits, peer_maj_23s: {} },
      last_validators: validatorSetJson(validators),
      triggered_timeout_precommit: false,
    },
    peers: [],
  }
}
