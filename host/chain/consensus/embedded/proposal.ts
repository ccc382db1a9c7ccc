import { LockstepError } from '../../../base/error.ts'
import { type HeaderOverrides, NO_HEADER_OVERRIDES } from '../../../evm/execute/header-overrides.ts'
import type { Application, BlockRequest, ProposalRequest } from '../application.ts'
import {
  blockIdOf,
  type CometBlock,
  encodeCometBlock,
  hashNoEvidence,
  hashTransactions,
  maxDataBytes,
  transactionBytes,
} from '../comet/block.ts'
import type { BlockId } from '../comet/block-id.ts'
import { BLOCK_ID_FLAG, hashCommit } from '../comet/commit.ts'
import { BLOCK_PROTOCOL, type CometHeader } from '../comet/header.ts'
import type { StoredBlock } from './block-store.ts'
import type { ConsensusChain } from './chain.ts'
import { heightAfter, type Tip } from './tip.ts'

export interface BlockProposal extends StoredBlock {
  readonly blockId: BlockId
}

/** Returns the first transactions that fit into `maxBytes`. */
function takeFitting(transactions: readonly Uint8Array[], maxBytes: number): readonly Uint8Array[] {
  let bytes = 0
  for (const [i, transaction] of transactions.entries()) {
    bytes += transactionBytes(transaction)
    if (bytes > maxBytes) return transactions.slice(0, i)
  }
  return transactions
}

export function blockRequest(
  block: CometBlock,
  hash: Uint8Array,
  settings: HeaderOverrides = NO_HEADER_OVERRIDES,
): BlockRequest {
  const { header, transactions, lastCommit } = block
  return {
    height: header.height,
    time: header.time,
    proposerAddress: header.proposerAddress,
    hash,
    parentHash: header.lastBlockId.hash,
    dataHash: header.dataHash,
    lastResultsHash: header.lastResultsHash,
    appHash: header.appHash,
    transactions,
    misbehavior: [],
    votes: lastCommit.signatures.map(({ validatorAddress, blockIdFlag }) => ({
      validatorAddress,
      isAbsent: blockIdFlag === BLOCK_ID_FLAG.ABSENT,
    })),
    settings,
  }
}

/**
 * Builds the block that follows the tip and lets the application verify it. Its transactions are executed while the
 * tip's state is hashed; only the header waits for the hash.
 */
export async function makeProposal(
  application: Application,
  chain: ConsensusChain,
  tip: Tip,
  made: Pick<ProposalRequest, 'time' | 'proposerAddress' | 'settings' | 'due'>,
): Promise<BlockProposal> {
  const { time, proposerAddress, settings } = made
  const height = heightAfter(chain, tip)
  const maxTxBytes = maxDataBytes(chain.maxBlockBytes, chain.validators.length)
  const transactions = takeFitting(
    await application.prepareProposal({ height, ...made, maxTxBytes }),
    maxTxBytes,
  )
  await made.due
  const header: CometHeader = {
    version: { block: BLOCK_PROTOCOL, app: application.info().appVersion },
    chainId: chain.id,
    height,
    time,
    lastBlockId: tip.blockId,
    lastCommitHash: hashCommit(tip.commit),
    dataHash: hashTransactions(transactions),
    validatorsHash: chain.validatorsHash,
    nextValidatorsHash: chain.validatorsHash,
    consensusHash: chain.consensusHash,
    appHash: await tip.appHash,
    lastResultsHash: tip.resultsHash,
    evidenceHash: hashNoEvidence(),
    proposerAddress,
  }
  const block: CometBlock = { header, transactions, lastCommit: tip.commit }
  const encoded = encodeCometBlock(block)
  const blockId = blockIdOf(header, encoded)
  if (!(await application.processProposal(blockRequest(block, blockId.hash, settings)))) {
    throw new LockstepError(
      'CONSENSUS_FAILURE',
      `the application rejected the block it prepared for height ${height}`,
    )
  }
  return { block, encoded, blockId }
}
