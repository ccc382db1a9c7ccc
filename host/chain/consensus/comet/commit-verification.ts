import { bytesKey, equalBytes } from '../../../base/bytes.ts'
import type { BlockId } from './block-id.ts'
import { BLOCK_ID_FLAG, type Commit, type CommitSignature } from './commit.ts'
import { verifySignature } from './ed25519.ts'
import type { CometValidator } from './validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from './vote.ts'

/** A share of the voting power that must be exceeded. */
export interface Fraction {
  readonly numerator: number
  readonly denominator: number
}

export const TWO_THIRDS: Fraction = { numerator: 2, denominator: 3 }

/** The share of validators of whom at least one is honest. */
export const ONE_THIRD: Fraction = { numerator: 1, denominator: 3 }

export function isSameBlock(a: BlockId, b: BlockId): boolean {
  return (
    equalBytes(a.hash, b.hash) &&
    a.parts.total === b.parts.total &&
    equalBytes(a.parts.hash, b.parts.hash)
  )
}

/** The voting power of a set. Powers are below 2^53, their sum need not be. */
export function totalPower(validators: readonly CometValidator[]): bigint {
  return validators.reduce((sum, { power }) => sum + BigInt(power), 0n)
}

function isVoteOf(
  chainId: string,
  { height, round, blockId }: Commit,
  { publicKey }: CometValidator,
  { timestamp, signature }: CommitSignature,
): boolean {
  const type = VOTE_TYPE.PRECOMMIT
  const bytes = voteSignBytes(chainId, { type, height, round, blockId, timestamp })
  return verifySignature(publicKey, bytes, signature)
}

/** Votes, each with the validator that it must be of. */
type Votes = Iterable<readonly [CometValidator, CommitSignature]>

/**
 * Why votes for the commit's block have no more than a share of the power; undefined where they have. A false signature
 * among those that are looked at spoils the commit: no honest node has put it there.
 */
function shortOf(
  chainId: string,
  commit: Commit,
  votes: Votes,
  total: bigint,
  { numerator, denominator }: Fraction,
): string | undefined {
  const needed = (total * BigInt(numerator)) / BigInt(denominator)
  let signed = 0n
  for (const [validator, vote] of votes) {
    if (!isVoteOf(chainId, commit, validator, vote)) {
      return `wrong signature of validator ${Buffer.from(validator.address).toString('hex')}`
    }
    signed += BigInt(validator.power)
    if (signed > needed) return undefined
  }
  return `signed by voting power ${signed} of ${total}, needed more than ${needed}`
}

/**
 * What is wrong with the commit of a block, whose validators are known; undefined where more than two thirds of them
 * signed it (CometBFT `VerifyCommitLight`).
 */
export function faultOfCommit(
  chainId: string,
  validators: readonly CometValidator[],
  commit: Commit,
): string | undefined {
  const { signatures } = commit
  if (signatures.length !== validators.length) {
    return `${signatures.length} signatures of ${validators.length} validators`
  }
  const votes: (readonly [CometValidator, CommitSignature])[] = []
  for (const [i, vote] of signatures.entries()) {
    const validator = validators[i] as CometValidator
    if (vote.blockIdFlag !== BLOCK_ID_FLAG.COMMIT) continue
    if (!equalBytes(vote.validatorAddress, validator.address)) {
      return `signature ${i} is not of the validator at its place`
    }
    votes.push([validator, vote])
  }
  return shortOf(chainId, commit, votes, totalPower(validators), TWO_THIRDS)
}

/**
 * What keeps the validators of an earlier block from vouching for a commit; undefined where more than `level` of their
 * power has signed it (CometBFT `VerifyCommitLightTrusting`).
 */
export function faultOfTrust(
  chainId: string,
  trusted: readonly CometValidator[],
  commit: Commit,
  level: Fraction,
): string | undefined {
  const byAddress = new Map(trusted.map((validator) => [bytesKey(validator.address), validator]))
  const votes: (readonly [CometValidator, CommitSignature])[] = []
  for (const vote of commit.signatures) {
    if (vote.blockIdFlag !== BLOCK_ID_FLAG.COMMIT) continue
    const key = bytesKey(vote.validatorAddress)
    const validator = byAddress.get(key)
    if (validator === undefined) continue
    if (votes.some(([other]) => other === validator)) return 'a validator has signed twice'
    votes.push([validator, vote])
  }
  return shortOf(chainId, commit, votes, totalPower(trusted), level)
}
