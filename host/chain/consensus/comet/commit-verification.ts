import { bytesKey, equalBytes } from '../../../base/bytes.ts'
import type { BlockId } from './block-id.ts'
import { BLOCK_ID_FLAG, type Commit, type CommitSignature } from './commit.ts'
import { verifySignature } from './ed25519.ts'
import type { CometValidator } from './validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from './vote.ts'

/** A share of the voting power to exceed. */
export interface Fraction {
  readonly numerator: number
  readonly denominator: number
}

export const TWO_THIRDS: Fraction = { numerator: 2, denominator: 3 }

/** More than one third of the power includes an honest validator. */
export const ONE_THIRD: Fraction = { numerator: 1, denominator: 3 }

export function isSameBlock(a: BlockId, b: BlockId): boolean {
  return (
    equalBytes(a.hash, b.hash) &&
    a.parts.total === b.parts.total &&
    equalBytes(a.parts.hash, b.parts.hash)
  )
}

/** Returns the voting power of a set. Each power is below 2^53; the sum may not be. */
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

/** Votes, each with its expected validator. */
type Votes = Iterable<readonly [CometValidator, CommitSignature]>

/**
 * Returns why the votes for the commit's block do not exceed a share of the power, or undefined if they do. Any
 * checked signature that is invalid fails the commit: an honest node would not have included it.
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
 * Returns what is wrong with the commit of a block whose validators are known, or undefined if more than two thirds
 * of their power signed it (CometBFT `VerifyCommitLight`).
 */
export function faultOfCommit(
  chainId: string,
  validators: readonly CometValidator[],
  commit: Commit,
): string | undefined {
  const { signatures } = commit
  if (signatures.length !== validators.length) {
    return `${signatures.length} signatures for ${validators.length} validators`
  }
  const votes: (readonly [CometValidator, CommitSignature])[] = []
  for (const [i, vote] of signatures.entries()) {
    const validator = validators[i] as CometValidator
    if (vote.blockIdFlag !== BLOCK_ID_FLAG.COMMIT) continue
    if (!equalBytes(vote.validatorAddress, validator.address)) {
      return `signature ${i} does not belong to validator ${i} of the set`
    }
    votes.push([validator, vote])
  }
  return shortOf(chainId, commit, votes, totalPower(validators), TWO_THIRDS)
}

/**
 * Returns why the validators of an earlier block do not vouch for a commit, or undefined if more than `level` of
 * their power signed it (CometBFT `VerifyCommitLightTrusting`).
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
