import type { Application } from '../application.ts'
import { BLOCK_ID_FLAG, type Commit } from '../comet/commit.ts'
import type { Validator } from '../validator/validator.ts'
import type { BlockStore, DecidedBlock } from './block-store.ts'
import type { Chain } from './chain.ts'
import { blockRequest, type Proposal } from './proposal.ts'
import { type Tip, tipAfter, verifyResults } from './tip.ts'

// A height passes through five durable steps, each the condition of the next:
//
//   proposed   the block's bytes are stored
//   signed     the validator's state holds the precommit
//   decided    the commit is stored
//   executed   the results are stored
//   committed  the application has made the height its own
//
// The bytes go to disk before the signature because a signature binds: after a crash between the two
// the stored block is signed again, and no other block for that height exists to be signed.

/** There is one validator, so every height is decided in its first round. */
const ROUND = 0

/** Signs a stored proposal and stores its commit. */
export async function decideBlock(
  chain: Chain,
  store: BlockStore,
  validator: Validator,
  proposal: Proposal,
  voteTime: bigint,
): Promise<DecidedBlock> {
  const { blockId } = proposal
  const { height } = proposal.block.header
  const { signature, timestamp } = await validator.signPrecommit(chain.id, {
    height,
    round: ROUND,
    blockId,
    timestamp: voteTime,
  })
  const commit: Commit = {
    height,
    round: ROUND,
    blockId,
    signatures: [
      {
        blockIdFlag: BLOCK_ID_FLAG.COMMIT,
        validatorAddress: validator.address,
        timestamp,
        signature,
      },
    ],
  }
  store.decide(commit)
  return { ...proposal, commit }
}

/**
 * Executes a decided block and has the application commit it; also the replay of a block that was
 * decided before a crash. The app hash after the block may come later: the next header states it.
 * @throws CONSENSUS_FAILURE when the results differ from those of an earlier execution.
 */
export async function applyBlock(
  application: Application,
  store: BlockStore,
  decided: DecidedBlock,
): Promise<Tip> {
  const { height } = decided.block.header
  const { hash } = decided.blockId
  const request = blockRequest(decided.block, hash, store.settings(height))
  const { txResults, resultsHash, appHash } = await application.finalizeBlock(request)
  const recorded = store.results(height)
  if (recorded === undefined) store.saveResults(height, txResults)
  else verifyResults(txResults, recorded, height)
  const { retainHeight } = await application.commit()
  if (retainHeight > store.base) store.prune(retainHeight)
  return tipAfter(decided, resultsHash, appHash)
}
