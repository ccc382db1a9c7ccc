import type { Application } from '../application.ts'
import { BLOCK_ID_FLAG, type Commit } from '../comet/commit.ts'
import type { BlockSigner } from '../validator/validator.ts'
import type { ConsensusBlockStore, DecidedBlock } from './block-store.ts'
import type { ConsensusChain } from './chain.ts'
import { type BlockProposal, blockRequest } from './proposal.ts'
import { type Tip, tipAfter, verifyResults } from './tip.ts'

// A height passes through five durable steps, each of which requires the one before:
//
//   proposed   the block's encoding is stored
//   signed     the validator's state holds the precommit
//   decided    the commit is stored
//   executed   the results are stored
//   committed  the application has committed the height
//
// The encoding is stored before the signature because a signature is binding. After a crash between the two, the
// stored block is signed again; no other block of that height exists.

/** A single validator decides every height in its first round. */
const ROUND = 0

/** Signs a stored proposal and stores its commit. */
export async function decideBlock(
  chain: ConsensusChain,
  store: ConsensusBlockStore,
  validator: BlockSigner,
  proposal: BlockProposal,
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
 * Executes and commits a decided block, also when replaying one after a crash. The app hash may become known later,
 * since only the next header states it.
 * @throws CONSENSUS_FAILURE if the results differ from those of an earlier execution
 */
export async function applyBlock(
  application: Application,
  store: ConsensusBlockStore,
  decided: DecidedBlock,
): Promise<Tip> {
  const { height } = decided.block.header
  const { hash } = decided.blockId
  const request = blockRequest(decided.block, hash, store.settings(height))
  const { encodedResults, resultsHash, appHash } = await application.finalizeBlock(request)
  const recorded = store.results(height)
  if (recorded === undefined) store.saveResults(height, encodedResults)
  else verifyResults(resultsHash, recorded, height)
  const { retainHeight } = await application.commit()
  if (retainHeight > store.base) store.prune(retainHeight)
  return tipAfter(decided, resultsHash, appHash)
}
