import { equalBytes } from '../../base/bytes.ts'
import { BLOCK_ID_FLAG, type Commit } from './commit.ts'
import { verifySignature } from './ed25519.ts'
import type { CometValidator } from './validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from './vote.ts'

/** True when validators with more than two thirds of the power have signed the commit (CometBFT VerifyCommit). */
export function isCommitSigned(
  chainId: string,
  validators: readonly CometValidator[],
  { height, round, blockId, signatures }: Commit,
): boolean {
  let total = 0
  let signed = 0
  for (const { address, publicKey, power } of validators) {
    total += power
    const vote = signatures.find(
      ({ blockIdFlag, validatorAddress }) =>
        blockIdFlag === BLOCK_ID_FLAG.COMMIT && equalBytes(validatorAddress, address),
    )
    if (vote === undefined) continue
    const { timestamp, signature } = vote
    const type = VOTE_TYPE.PRECOMMIT
    const bytes = voteSignBytes(chainId, { type, height, round, blockId, timestamp })
    if (verifySignature(publicKey, bytes, signature)) signed += power
  }
  return signed * 3 > total * 2
}
